/* test_model_dtype.c - the codec against bits known from IEEE 754 and against itself. */
#include "check.h"

#include <float.h>

#include "model/dtype.h"

static float from_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void test_known_bits(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum rp_dtype dtype;
        float value;
        uint32_t bits;
    } cases[] = {
        {"one", RP_DTYPE_fp16, 1.0F, 0x3C00},
        {"a third", RP_DTYPE_fp16, 1.0F / 3.0F, 0x3555},
        {"largest", RP_DTYPE_fp16, 65504.0F, 0x7BFF},
        {"just below the middle to 65536", RP_DTYPE_fp16, 65519.0F, 0x7BFF},
        {"the middle goes to infinity", RP_DTYPE_fp16, 65520.0F, 0x7C00},
        {"smallest normal", RP_DTYPE_fp16, 0x1p-14F, 0x0400},
        {"largest subnormal", RP_DTYPE_fp16, 0x1.ff8p-15F, 0x03FF},
        {"smallest subnormal", RP_DTYPE_fp16, 0x1p-24F, 0x0001},
        {"half of it ties to zero", RP_DTYPE_fp16, 0x1p-25F, 0x0000},
        {"a little more does not", RP_DTYPE_fp16, 0x1.0002p-25F, 0x0001},
        {"tie to even, down", RP_DTYPE_fp16, 1.0F + 0x1p-11F, 0x3C00},
        {"tie to even, up", RP_DTYPE_fp16, 1.0F + 0x3p-11F, 0x3C02},
        {"rounding carries into the exponent", RP_DTYPE_fp16, 0x1.ffep0F, 0x4000},
        {"negative", RP_DTYPE_fp16, -2.5F, 0xC100},
        {"negative zero", RP_DTYPE_fp16, -0.0F, 0x8000},
        {"one", RP_DTYPE_bf16, 1.0F, 0x3F80},
        {"largest float rounds to infinity", RP_DTYPE_bf16, FLT_MAX, 0x7F80},
        {"tie to even, down", RP_DTYPE_bf16, 1.0F + 0x1p-8F, 0x3F80},
        {"tie to even, up", RP_DTYPE_bf16, 1.0F + 0x3p-8F, 0x3F82},
        {"subnormal", RP_DTYPE_bf16, 0x1p-133F, 0x0001},
        {"one", RP_DTYPE_tf32, 1.0F, 0x3F800000},
        {"short mantissa", RP_DTYPE_tf32, 1.0F + 0x1p-12F, 0x3F800000},
        {"as it is", RP_DTYPE_fp32, 1.0F + 0x1p-23F, 0x3F800001},
        {"smallest", RP_DTYPE_fp32, 0x1p-149F, 0x00000001},
    };
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        CHECK_EQ_I64(rp_dtype_encode(cases[i].dtype, cases[i].value), cases[i].bits, cases[i].name);
    }
}

static void test_infinity_and_nan(void **state)
{
    (void)state;
    for (int t = 0; t < RP_DTYPE_COUNT; ++t) {
        enum rp_dtype dtype = (enum rp_dtype)t;
        const char *name = rp_dtype_info(dtype)->name;
        CHECK_TRUE(isnan(rp_dtype_decode(dtype, rp_dtype_encode(dtype, NAN))), name);
        CHECK_TRUE(isnan(rp_dtype_decode(dtype, rp_dtype_encode(dtype, from_bits(0x7F800001)))),
                   name);
        CHECK_TRUE(rp_dtype_decode(dtype, rp_dtype_encode(dtype, -INFINITY)) == -INFINITY, name);
    }
}

/* Every 16-bit pattern that is a number comes back as it was. */
static void test_round_trip(void **state)
{
    (void)state;
    static const enum rp_dtype dtypes[] = {RP_DTYPE_fp16, RP_DTYPE_bf16};
    for (size_t t = 0; t < RP_COUNT(dtypes); ++t) {
        for (uint32_t bits = 0; bits < 65536; ++bits) {
            float x = rp_dtype_decode(dtypes[t], bits);
            if (!isnan(x))
                CHECK_EQ_I64(rp_dtype_encode(dtypes[t], x), bits, rp_dtype_info(dtypes[t])->name);
        }
    }
}

static void test_arrays(void **state)
{
    (void)state;
    static const float values[] = {0.0F, 1.0F, -2.5F, 0.333333343F};
    for (int t = 0; t < RP_DTYPE_COUNT; ++t) {
        enum rp_dtype dtype = (enum rp_dtype)t;
        unsigned char stored[sizeof values + 1];
        float back[RP_COUNT(values)];
        size_t bytes = RP_COUNT(values) * (size_t)rp_dtype_info(dtype)->storage_bytes;
        memset(stored, 0xEE, sizeof stored);
        rp_dtype_encode_array(dtype, values, stored, RP_COUNT(values));
        CHECK_EQ_I64(stored[bytes], 0xEE, "nothing is written behind the last element");
        rp_dtype_decode_array(dtype, stored, back, RP_COUNT(values));
        for (size_t i = 0; i < RP_COUNT(values); ++i)
            CHECK_NEAR((double)back[i], (double)values[i],
                       rp_dtype_unit_roundoff(dtype) * fabs((double)values[i]),
                       rp_dtype_info(dtype)->name);
    }
}

static void test_facts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int bytes;
        double roundoff;
    } cases[] = {
        {"fp32", 4, 0x1p-24}, {"tf32", 4, 0x1p-11}, {"fp16", 2, 0x1p-11}, {"bf16", 2, 0x1p-8}};
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        enum rp_dtype dtype = RP_DTYPE_COUNT;
        CHECK_TRUE(rp_dtype_find(cases[i].name, &dtype), cases[i].name);
        CHECK_EQ_I64(rp_dtype_info(dtype)->storage_bytes, cases[i].bytes, cases[i].name);
        CHECK_NEAR(rp_dtype_unit_roundoff(dtype), cases[i].roundoff, 0.0, cases[i].name);
    }
    enum rp_dtype dtype = RP_DTYPE_fp16;
    CHECK_TRUE(!rp_dtype_find("fp61", &dtype) && dtype == RP_DTYPE_fp16, "an unknown name");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_bits), cmocka_unit_test(test_infinity_and_nan),
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
