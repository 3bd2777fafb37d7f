/* The GPU table against an independent list; keys and driver names find their own row or none. */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "gpu_table.h"
#include "model/data_folder.h"

/* Typed in from the vendor's pages once more, not read from the table. TFLOP/s and GB/s. */
static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        double fp16, bf16, tf32, fp32, bandwidth;
        int64_t multiprocessors;
    } cases[] = {
        {"t4", 65, NAN, NAN, 8.1, 320, 40},
        {"v100-sxm2-16gb", 125, NAN, NAN, 15.7, 900, 80},
        {"a10", 125, 125, 62.5, 31.2, 600, 72},
        {"l4", 121, 121, 60, 30.3, 300, 58},
        {"l40s", 362, 362, 183, 91.6, 864, 142},
        {"a100-pcie-40gb", 312, 312, 156, 19.5, 1555, 108},
        {"a100-sxm-40gb", 312, 312, 156, 19.5, 1555, 108},
        {"a100-pcie-80gb", 312, 312, 156, 19.5, 1935, 108},
        {"a100-sxm-80gb", 312, 312, 156, 19.5, 2039, 108},
        {"h100-pcie-80gb", 756, 756, 378, 51, 2000, 114},
        {"h100-sxm-80gb", 989, 989, 495, 67, 3350, 132}, /* not 1979: that is sparse */
        {"h100-nvl-94gb", 835, 835, 418, 60, 3900, 132},
        {"h200-sxm-141gb", 989, 989, 495, 67, 4800, 132},
        {"b200-sxm-180gb", 2250, 2250, 1100, 75, 7700, 148},
    };
    CHECK_EQ_I64((int64_t)gpus.count, (int64_t)RP_COUNT(cases), "no row without a case");
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const struct rp_gpu_spec *gpu = NULL;
        const char *key = cases[i].key;
        CHECK_OK(rp_gpu_list_find(&gpus, key, &gpu), key);
        CHECK_NEAR(gpu->tensor_fp16_flop_per_s, cases[i].fp16 * 1e12, 1e6, key);
        CHECK_NEAR(gpu->simt_fp32_flop_per_s, cases[i].fp32 * 1e12, 1e6, key);
        CHECK_NEAR(gpu->bandwidth_bytes_per_s, cases[i].bandwidth * 1e9, 1e3, key);
        CHECK_EQ_I64(gpu->multiprocessors, cases[i].multiprocessors, key);
        CHECK_TRUE(isnan(gpu->tensor_bf16_flop_per_s) == (isnan(cases[i].bf16) != 0), key);
        CHECK_TRUE(isnan(gpu->tensor_tf32_flop_per_s) == (isnan(cases[i].tf32) != 0), key);
        if (!isnan(cases[i].bf16))
            CHECK_NEAR(gpu->tensor_bf16_flop_per_s, cases[i].bf16 * 1e12, 1e6, key);
        if (!isnan(cases[i].tf32))
            CHECK_NEAR(gpu->tensor_tf32_flop_per_s, cases[i].tf32 * 1e12, 1e6, key);
        CHECK_TRUE(strlen(gpu->source) > 10, key);
        CHECK_TRUE(gpu->memory_bytes > INT64_C(14) << 30, key);
    }
}

static void test_keys(void **state)
{
    (void)state;
    static const struct {
        const char *typed;
        const char *found; /* null: refused */
        const char *says;
    } cases[] = {
        {"a10", "a10", NULL}, /* exact, though also the beginning of a100 */
        {"h200", "h200-sxm-141gb", NULL},
        {"h100-sxm", "h100-sxm-80gb", NULL},
        {"b", "b200-sxm-180gb", NULL},
        {"a100", NULL,
         "fits several: a100-pcie-40gb, a100-sxm-40gb, a100-pcie-80gb, a100-sxm-80gb"},
        {"h100", NULL, "fits several: h100-pcie-80gb, h100-sxm-80gb, h100-nvl-94gb"},
        {"l40z", NULL, "did you mean 'l40s'"},
        {"a100-sxm-80gbx", NULL, "did you mean 'a100-sxm-80gb'"},
        {"mi300x", NULL, "not known; known: t4, "},
        {"", NULL, "not known"},
        {"H200", NULL, "not known"},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const struct rp_gpu_spec *gpu = NULL;
        enum rp_status status = rp_gpu_list_find(&gpus, cases[i].typed, &gpu);
        if (cases[i].found) {
            CHECK_STATUS(status, RP_OK, cases[i].typed);
            CHECK_EQ_TEXT(gpu->gpu_type, cases[i].found, cases[i].typed);
        } else {
            CHECK_STATUS(status, RP_ERR_USAGE, cases[i].typed);
            CHECK_CONTAINS(rp_status_message(), cases[i].says, cases[i].typed);
        }
    }
    CHECK_TRUE(rp_gpu_list_find_exact(&gpus, "h200") == NULL, "a file's type is never a prefix");
}

static void test_driver_names(void **state)
{
    (void)state;
    const int64_t mib = 1048576;
    static const struct {
        const char *name;
        int64_t memory_mib; /* 0: not reported */
        const char *found;
    } cases[] = {
        {"NVIDIA H200", 143771, "h200-sxm-141gb"},
        {"NVIDIA H200 NVL", 143771, NULL},
        {"NVIDIA A100-PCIE-40GB", 40536, "a100-pcie-40gb"},
        {"NVIDIA A100-SXM4-40GB", 40536, "a100-sxm-40gb"},
        {"NVIDIA A100-SXM4-80GB", 81251, "a100-sxm-80gb"},
        {"NVIDIA A100-SXM4-80GB", 0, "a100-sxm-80gb"},
        {"NVIDIA A100-SXM4-80GB", 40536, NULL}, /* half a card */
        {"NVIDIA A100-SXM4-80GB MIG 3g.40gb", 40192, NULL},
        {"NVIDIA A100 80GB PCIe", 81251, "a100-pcie-80gb"},
        {"NVIDIA H100 NVL", 95830, "h100-nvl-94gb"},
        {"NVIDIA H100 PCIe", 81559, "h100-pcie-80gb"},
        {"NVIDIA H100 80GB HBM3", 81559, "h100-sxm-80gb"},
        {"NVIDIA H100 80GB HBM2e", 81559, NULL},
        {"NVIDIA H100", 81559, NULL},
        {"Tesla T4", 15110, "t4"}, /* what deviceQuery reports with ECC on */
        {"Tesla T40", 24576, NULL},
        {"Tesla V100-SXM2-16GB", 16160, "v100-sxm2-16gb"},
        {"Tesla V100-SXM2-32GB", 32510, NULL},
        {"NVIDIA L4", 22700, "l4"},
        {"NVIDIA L40", 45776, NULL},
        {"NVIDIA L40S", 45589, "l40s"},
        {"NVIDIA A10", 22731, "a10"},
        {"NVIDIA A10", 24257, "a10"}, /* ECC off */
        {"NVIDIA A10G", 22731, NULL},
        {"NVIDIA A1000 Laptop GPU", 4096, NULL},
        {"NVIDIA RTX A1000 Laptop GPU", 4096, NULL},
        {"NVIDIA B200", 182642, "b200-sxm-180gb"},
        {"nvidia h200", 143771, NULL},
        {"", 0, NULL},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        const struct rp_gpu_spec *gpu =
            rp_gpu_list_find_driver_name(&gpus, cases[i].name, cases[i].memory_mib * mib);
        CHECK_EQ_TEXT(gpu ? gpu->gpu_type : "none", cases[i].found ? cases[i].found : "none",
                      cases[i].name);
    }
}

/* Two rows with one driver name: the reported memory decides, and without it nobody is it. */
static void test_ambiguous_name(void **state)
{
    (void)state;
    struct rp_gpu_spec rows[] = {
        {.gpu_type = "x-16gb", .driver_names = "Card X", .memory_bytes = INT64_C(16) << 30},
        {.gpu_type = "x-32gb", .driver_names = "Card W|Card X", .memory_bytes = INT64_C(32) << 30},
    };
    struct rp_gpu_list list = {rows, 2};
    CHECK_TRUE(rp_gpu_list_find_driver_name(&list, "Card X", INT64_C(31) << 30) == &rows[1], "32");
    CHECK_TRUE(rp_gpu_list_find_driver_name(&list, "Card X", INT64_C(15) << 30) == &rows[0], "16");
    CHECK_TRUE(rp_gpu_list_find_driver_name(&list, "Card X", 0) == NULL, "memory not known");
    CHECK_TRUE(rp_gpu_list_find_driver_name(&list, "Card X", INT64_C(24) << 30) == NULL, "neither");
    CHECK_TRUE(rp_gpu_list_find_driver_name(&list, "Card W", 0) == &rows[1], "second of the names");
    CHECK_TRUE(rp_gpu_list_find_driver_name(&list, "Card W|Card X", 0) == NULL, "not a whole name");
}

static const char header[] =
    "source\tmeasured\tgpu_type\tdriver_names\tcompute_capability\ttensor_fp16_tflop_per_s\t"
    "tensor_bf16_tflop_per_s\ttensor_tf32_tflop_per_s\tsimt_fp32_tflop_per_s\tbandwidth_gb_per_s\t"
    "memory_mib\tl2_mib\tmultiprocessors\tlaunch_latency_us\n";

static void write_text(const char *path, const char *first, const char *second)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s", first, second);
    assert_int_equal(fclose(file), 0);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *row;
        const char *says;
    } cases[] = {
        {"a word for a number", "s\tm\tx\tX\t9.0\tfast\t-\t-\t1\t1\t1\t1\t1\t1\n",
         ":2: tensor_fp16_tflop_per_s 'fast'"},
        {"zero", "s\tm\tx\tX\t9.0\t1\t-\t-\t1\t0\t1\t1\t1\t1\n", ":2: bandwidth_gb_per_s '0'"},
        {"negative", "s\tm\tx\tX\t9.0\t1\t-\t-\t-1\t1\t1\t1\t1\t1\n", "simt_fp32_tflop_per_s '-1'"},
        {"nan", "s\tm\tx\tX\t9.0\tnan\t-\t-\t1\t1\t1\t1\t1\t1\n", "tensor_fp16_tflop_per_s 'nan'"},
        {"a fraction of a multiprocessor", "s\tm\tx\tX\t9.0\t1\t-\t-\t1\t1\t1\t1\t1.5\t1\n",
         "multiprocessors '1.5' must be a whole number"},
        {"no bandwidth", "s\tm\tx\tX\t9.0\t1\t-\t-\t1\t-\t1\t1\t1\t1\n", "bandwidth_gb_per_s is"},
        {"no key", "s\tm\t\tX\t9.0\t1\t-\t-\t1\t1\t1\t1\t1\t1\n", "gpu_type is missing"},
        {"a column short", "s\tm\tx\tX\t9.0\t1\t-\t-\t1\t1\t1\t1\t1\n", ":2: 13 columns"},
        {"a column more", "s\tm\tx\tX\t9.0\t1\t-\t-\t1\t1\t1\t1\t1\t1\t1\n", ":2: 15 columns"},
        {"no rows", "", "no row"},
        {"a key twice",
         "s\tm\tx\tX\t9.0\t1\t-\t-\t1\t1\t1\t1\t1\t1\ns\tm\tx\tY\t9.0\t1\t-\t-\t1\t1\t1\t1\t1\t1\n",
         ":3: gpu_type 'x' is there twice"},
    };
    char path[] = "/tmp/rp_gpus_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        struct rp_gpu_list list;
        write_text(path, header, cases[i].row);
        CHECK_STATUS(rp_gpu_list_read(path, &list), RP_ERR_CONFIG, cases[i].name);
        CHECK_CONTAINS(rp_status_message(), cases[i].says, cases[i].name);
        CHECK_CONTAINS(rp_status_message(), path, cases[i].name);
        CHECK_TRUE(list.items == NULL && list.count == 0, cases[i].name);
    }
    struct rp_gpu_list list;
    write_text(path, "gpu_type\tsource\n", "x\ty\n");
    CHECK_STATUS(rp_gpu_list_read(path, &list), RP_ERR_CONFIG, "a header without columns");
    CHECK_CONTAINS(rp_status_message(), ":1: the header line lacks", "a header without columns");
    /* Any order of columns, and one more than we know, is fine: this header begins with source. */
    write_text(path, header, "s\tm\tx\tX\t9.0\t1\t-\t-\t2\t3\t4\t-\t6\t7\n");
    CHECK_OK(rp_gpu_list_read(path, &list), "another order");
    CHECK_EQ_TEXT(list.items[0].gpu_type, "x", "another order");
    CHECK_NEAR(list.items[0].bandwidth_bytes_per_s, 3e9, 0, "another order");
    CHECK_EQ_I64(list.items[0].memory_bytes, 4 * 1048576, "another order");
    CHECK_EQ_I64(list.items[0].l2_bytes, -1, "'-' is not known");
    CHECK_NEAR(list.items[0].launch_latency_s, 7e-6, 1e-18, "another order");
    rp_gpu_list_clear(&list);
    unlink(path);
    CHECK_STATUS(rp_gpu_list_read(path, &list), RP_ERR_CONFIG, "no such file");
}

/* Own GPU types beside the installed ones; an own row replaces the installed one of its key. */
static void test_override(void **state)
{
    (void)state;
    char folder[] = "/tmp/rp_data_XXXXXX";
    char path[64];
    char found[RP_DATA_PATH_SIZE];
    struct rp_gpu_list list;
    assert_non_null(mkdtemp(folder));
    CHECK_OK(rp_gpu_list_load(folder, &list), "a folder without gpus.tsv");
    CHECK_EQ_I64((int64_t)list.count, (int64_t)gpus.count, "the installed ones");
    rp_gpu_list_clear(&list);

    snprintf(path, sizeof path, "%s/gpus.tsv", folder);
    write_text(path, header,
               "s\tm\tt4\tX\t7.5\t1\t-\t-\t2\t3\t4\t5\t6\t7\n"
               "s\tm\tmine-8gb\tX\t7.5\t1\t-\t-\t2\t3\t4\t5\t6\t7\n");
    CHECK_OK(rp_gpu_list_load(folder, &list), "a folder with gpus.tsv");
    CHECK_EQ_I64((int64_t)list.count, (int64_t)gpus.count + 1, "one more");
    CHECK_NEAR(rp_gpu_list_find_exact(&list, "t4")->tensor_fp16_flop_per_s, 1e12, 0, "replaced");
    CHECK_TRUE(rp_gpu_list_find_exact(&list, "mine-8gb") != NULL, "added");
    rp_gpu_list_clear(&list);
    CHECK_OK(rp_data_file_find(folder, "gpus.tsv", found, sizeof found), "own file");
    CHECK_EQ_TEXT(found, path, "own file");
    unlink(path);
    rmdir(folder);
    CHECK_STATUS(rp_data_folder_find(folder, found, sizeof found), RP_ERR_USAGE, "no folder");
    CHECK_CONTAINS(rp_status_message(), folder, "no folder");
}

/* Found beside this test program, whatever the working directory is. */
static void test_beside_the_program(void **state)
{
    (void)state;
    char here[RP_DATA_PATH_SIZE];
    char there[RP_DATA_PATH_SIZE];
    char back[RP_DATA_PATH_SIZE];
    CHECK_OK(rp_data_folder_find(NULL, here, sizeof here), "from the source folder");
    assert_non_null(getcwd(back, sizeof back));
    assert_int_equal(chdir("/"), 0);
    CHECK_OK(rp_data_folder_find(NULL, there, sizeof there), "from the root folder");
    assert_int_equal(chdir(back), 0);
    CHECK_EQ_TEXT(there, here, "the same");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_driver_names),
        cmocka_unit_test(test_ambiguous_name),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_override),
        cmocka_unit_test(test_beside_the_program),
    };
    return cmocka_run_group_tests(tests, load_gpus, unload_gpus);
}
