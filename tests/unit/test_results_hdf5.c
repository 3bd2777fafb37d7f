/* test_results_hdf5.c - every column of every table goes through a file and comes back. */
#include "check.h"

#include <float.h>
#include <hdf5.h>
#include <stdlib.h>
#include <unistd.h>

#include "model/column.h"
#include "store/cells.h"
#include "store/results_hdf5.h"

static char folder[] = "/tmp/ridgepoint-results.XXXXXX";
static char path[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/f.h5", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* Values at the edges, another one for each row and column. */
static void fill_cell(const struct rp_column *column, char *row, size_t n)
{
    static const int64_t integers[] = {0, -1, 1, INT64_MAX, INT64_MIN, 1LL << 31, 1LL << 32 | 128};
    static const double numbers[] = {0.0,          -0.0,     1e-300, DBL_MAX, -DBL_MIN,
                                     DBL_TRUE_MIN, INFINITY, NAN,    1.0 / 3};
    static const char *const texts[] = {"", "a: \"b\"\n\tc",
                                        ("gr\xc3\xb6\xc3\x9f"
                                         "e\r\x01"),
                                        "back\\slash \\x41 \\xff \\x", "\xff"};
    char *field = row + column->offset;
    switch (column->kind) {
    case RP_COLUMN_I64:
        memcpy(field, &integers[n % RP_COUNT(integers)], 8);
        break;
    case RP_COLUMN_F64:
        memcpy(field, &numbers[n % RP_COUNT(numbers)], 8);
        break;
    case RP_COLUMN_WORD:
        memset(field, 0, column->width + 1);
        memset(field, '!' + (int)(n % 90), n % 3 == 0 ? column->width : n % column->width);
        break;
    case RP_COLUMN_TEXT: {
        char *copy = strdup(texts[n % RP_COUNT(texts)]);
        memcpy(field, &copy, sizeof copy);
        break;
    }
    }
}

static void fill_study(struct rp_study *study, size_t rows)
{
    rp_study_init(study);
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        const struct rp_table_schema *schema = rp_table_schema((enum rp_table_id)id);
        char *row = malloc(schema->row_bytes);
        for (size_t i = 0; i < rows; ++i) {
            rp_row_init((enum rp_table_id)id, row);
            for (size_t c = 0; c < schema->n_columns; ++c)
                fill_cell(&schema->columns[c], row, i + c);
            CHECK_OK(rp_study_append(study, (enum rp_table_id)id, row), schema->name);
            rp_row_clear((enum rp_table_id)id, row);
        }
        free(row);
    }
}

static bool same_cell(const struct rp_column *column, const char *a, const char *b)
{
    double x;
    double y;
    const char *s;
    const char *t;
    switch (column->kind) {
    case RP_COLUMN_I64:
        return memcmp(a + column->offset, b + column->offset, 8) == 0;
    case RP_COLUMN_F64:
        memcpy(&x, a + column->offset, 8);
        memcpy(&y, b + column->offset, 8);
        return isnan(x) ? isnan(y) : memcmp(&x, &y, 8) == 0;
    case RP_COLUMN_WORD:
        return strcmp(a + column->offset, b + column->offset) == 0;
    case RP_COLUMN_TEXT:
        memcpy(&s, a + column->offset, sizeof s);
        memcpy(&t, b + column->offset, sizeof t);
        return strcmp(s ? s : "", t ? t : "") == 0;
    }
    return false;
}

static void check_same(const struct rp_study *a, const struct rp_study *b, const char *name)
{
    CHECK_EQ_I64(a->rows_planned, b->rows_planned, name);
    CHECK_EQ_I64(a->complete, b->complete, name);
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        const struct rp_table_schema *schema = rp_table_schema((enum rp_table_id)id);
        const size_t rows = rp_study_count(a, (enum rp_table_id)id);
        CHECK_EQ_I64((int64_t)rp_study_count(b, (enum rp_table_id)id), (int64_t)rows, schema->name);
        for (size_t i = 0; i < rows; ++i) {
            for (size_t c = 0; c < schema->n_columns; ++c) {
                if (!same_cell(&schema->columns[c], rp_study_row(a, (enum rp_table_id)id, i),
                               rp_study_row(b, (enum rp_table_id)id, i)))
                    fail_msg("%s: /%s/%s row %zu differs", name, schema->name,
                             schema->columns[c].name, i);
            }
        }
    }
}

static void check_round_trip(const struct rp_study *study, const char *name)
{
    struct rp_study back;
    char before[RP_DIGEST_HEX_SIZE];
    char after[RP_DIGEST_HEX_SIZE];
    unlink(path);
    CHECK_OK(rp_results_write(path, study), name);
    CHECK_OK(rp_results_read(path, &back), name);
    check_same(study, &back, name);
    CHECK_OK(rp_results_digest(study, before), name);
    CHECK_OK(rp_results_digest(&back, after), name);
    CHECK_EQ_TEXT(after, before, name);
    rp_study_clear(&back);
}

static void test_round_trip(void **state)
{
    (void)state;
    static const size_t rows[] = {0, 1, 2, 13, 100};
    for (size_t i = 0; i < RP_COUNT(rows); ++i) {
        struct rp_study study;
        char name[32];
        snprintf(name, sizeof name, "%zu rows", rows[i]);
        fill_study(&study, rows[i]);
        study.complete = i % 2 == 0;
        study.rows_planned = (int64_t)rows[i] + 7;
        check_round_trip(&study, name);
        rp_study_clear(&study);
    }
}

/* More than one chunk of every width. */
static void test_many_samples(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_sample sample;
    rp_study_init(&study);
    for (int64_t i = 0; i < 3 * 32768 + 17; ++i) {
        sample =
            (struct rp_sample){.time_s = (double)i * 1e-6, .launches = i, .round = -i, .used = 1};
        CHECK_OK(rp_study_append(&study, RP_TABLE_SAMPLES, &sample), "append");
    }
    check_round_trip(&study, "four chunks");
    rp_study_clear(&study);
}

static void test_job_text_of_a_mebibyte(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_run run;
    const size_t length = (size_t)1 << 20;
    rp_study_init(&study);
    for (int i = 0; i < 3; ++i) {
        rp_row_init(RP_TABLE_RUNS, &run);
        run.job_text = calloc(length + 1, 1);
        memset(run.job_text, i == 1 ? '\xe9' : 'x', length); /* the second: 4 MiB when escaped */
        CHECK_OK(rp_study_append(&study, RP_TABLE_RUNS, &run), "append");
        rp_row_clear(RP_TABLE_RUNS, &run);
    }
    check_round_trip(&study, "1 MiB");
    rp_study_clear(&study);
}

/* A word that did not go through rp_word_set must not make the file unreadable. */
static void test_word_of_bad_bytes(void **state)
{
    (void)state;
    struct rp_study study;
    struct rp_study back;
    struct rp_label label;
    rp_study_init(&study);
    rp_row_init(RP_TABLE_LABELS, &label);
    snprintf(label.model, sizeof label.model, "a\xe9\nb");
    CHECK_OK(rp_study_append(&study, RP_TABLE_LABELS, &label), "append");
    CHECK_OK(rp_results_write(path, &study), "write");
    CHECK_OK(rp_results_read(path, &back), "read");
    CHECK_EQ_TEXT(((struct rp_label *)rp_study_row(&back, RP_TABLE_LABELS, 0))->model, "a??b",
                  "not ASCII");
    rp_study_clear(&back);
    rp_study_clear(&study);
}

static void test_equal_studies_equal_bytes(void **state)
{
    (void)state;
    char other[80];
    char command[256];
    struct rp_study study;
    snprintf(other, sizeof other, "%s.again", path);
    fill_study(&study, 9);
    CHECK_OK(rp_results_write(path, &study), "first");
    CHECK_OK(rp_results_write(other, &study), "second");
    snprintf(command, sizeof command, "cmp -s %s %s", path, other);
    CHECK_EQ_I64(system(command), 0, "the same bytes");
    unlink(other);
    rp_study_clear(&study);
}

static void test_digest_sees_every_column(void **state)
{
    (void)state;
    struct rp_study study;
    char before[RP_DIGEST_HEX_SIZE];
    char after[RP_DIGEST_HEX_SIZE];
    fill_study(&study, 3);
    CHECK_OK(rp_results_digest(&study, before), "before");
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        const struct rp_table_schema *schema = rp_table_schema((enum rp_table_id)id);
        for (size_t c = 0; c < schema->n_columns; ++c) {
            char *row = rp_study_row(&study, (enum rp_table_id)id, 1);
            char *byte = row + schema->columns[c].offset;
            if (schema->columns[c].kind == RP_COLUMN_TEXT)
                memcpy((void *)&byte, row + schema->columns[c].offset, sizeof(char *));
            if (!byte || !*byte)
                continue; /* an empty text has no byte to change */
            *byte ^= 1;
            CHECK_OK(rp_results_digest(&study, after), schema->columns[c].name);
            CHECK_TRUE(strcmp(before, after) != 0, schema->columns[c].name);
            *byte ^= 1;
        }
    }
    study.complete = !study.complete;
    CHECK_OK(rp_results_digest(&study, after), "state");
    CHECK_TRUE(strcmp(before, after) != 0, "state");
    study.complete = !study.complete;
    ++study.rows_planned;
    CHECK_OK(rp_results_digest(&study, after), "rows_planned");
    CHECK_TRUE(strcmp(before, after) != 0, "rows_planned");
    rp_study_clear(&study);
}

static void test_existing_file_stays(void **state)
{
    (void)state;
    struct rp_study study;
    FILE *f = fopen(path, "w");
    fputs("old", f);
    fclose(f);
    fill_study(&study, 1);
    CHECK_STATUS(rp_results_write(path, &study), RP_ERR_ENVIRONMENT, "exists");
    CHECK_CONTAINS(rp_status_message(), path, "names the path");
    char old[8] = "";
    f = fopen(path, "r");
    CHECK_TRUE(fgets(old, sizeof old, f) != NULL, "still there");
    fclose(f);
    CHECK_EQ_TEXT(old, "old", "untouched");
    rp_study_clear(&study);
}

/* ---- files of others: each is written, changed through HDF5's own interface, and refused ---- */

static void delete_group(hid_t file)
{
    H5Ldelete(file, "labels", H5P_DEFAULT);
}
static void delete_column(hid_t file)
{
    H5Ldelete(file, "results/status", H5P_DEFAULT);
}
static void add_dataset(hid_t file, const char *name, hid_t type, hsize_t rows, hsize_t chunk)
{
    hsize_t limit = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &rows, &limit);
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &chunk);
    H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Pclose(properties);
    H5Sclose(space);
}
static void replace_type(hid_t file)
{
    H5Ldelete(file, "results/heads", H5P_DEFAULT);
    add_dataset(file, "results/heads", H5T_STD_I32LE, 5, 5);
}
static void replace_length(hid_t file)
{
    H5Ldelete(file, "samples/round", H5P_DEFAULT);
    add_dataset(file, "samples/round", H5T_STD_I64LE, 4, 4);
}
static void claim_much(hid_t file)
{
    H5Ldelete(file, "devices/ecc", H5P_DEFAULT);
    add_dataset(file, "devices/ecc", H5T_STD_I64LE, (hsize_t)1 << 60, 1024);
}
static void claim_wide_chunks(hid_t file)
{
    H5Ldelete(file, "devices/ecc", H5P_DEFAULT);
    add_dataset(file, "devices/ecc", H5T_STD_I64LE, 5, (hsize_t)1 << 28);
}
static void add_group(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
static void link_elsewhere(hid_t file)
{
    H5Ldelete(file, "results/status", H5P_DEFAULT);
    H5Lcreate_external("/etc/other.h5", "/x", file, "results/status", H5P_DEFAULT, H5P_DEFAULT);
}
static void set_integer(hid_t file, const char *name, int64_t value)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT64, &value);
    H5Aclose(attribute);
}
static void newer_schema(hid_t file)
{
    set_integer(file, "schema_version", 2);
}
static void more_rows(hid_t file)
{
    set_integer(file, "rows", 6);
}
static void other_plan(hid_t file)
{
    set_integer(file, "rows_planned", 6);
}
static void set_text(hid_t object, const char *name, const char *value)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute);
    H5Awrite(attribute, type, &value);
    H5Tclose(type);
    H5Aclose(attribute);
}
static void foreign_format(hid_t file)
{
    set_text(file, "format", "other-results");
}
static void odd_state(hid_t file)
{
    set_text(file, "state", "Complete");
}
static void other_state(hid_t file)
{
    set_text(file, "state", "complete");
}
static void other_units(hid_t file)
{
    hid_t dataset = H5Dopen2(file, "results/time_median_s", H5P_DEFAULT);
    set_text(dataset, "units", "ms");
    H5Dclose(dataset);
}
static void other_value(hid_t file)
{
    const int64_t heads[5] = {1, 2, 3, 4, 5};
    hid_t dataset = H5Dopen2(file, "results/heads", H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, heads);
    H5Dclose(dataset);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*change)(hid_t file);
        const char *says;
    } cases[] = {
        {"a group is missing", delete_group, "/labels is missing"},
        {"a column is missing", delete_column, "do not fit the file's digest"},
        {"a column of another type", replace_type, "/results/heads is neither int64"},
        {"columns of unequal length", replace_length, "/samples/round"},
        {"2^60 rows of nothing", claim_much, "/devices/ecc claims 1152921504606846976 rows"},
        {"chunks of 2 GiB", claim_wide_chunks, "/devices/ecc has chunks"},
        {"an empty group", add_group, "/more has no columns"},
        {"a link out of the file", link_elsewhere, "/results/status is not a dataset"},
        {"a newer schema", newer_schema, "schema version 2; this program reads up to 1"},
        {"rows miscounted", more_rows, "/results has 5 rows, the attribute rows says 6"},
        {"rows_planned changed", other_plan, "do not fit the file's digest"},
        {"another format", foreign_format, "'other-results'"},
        {"a state of no meaning", odd_state, "neither complete nor partial"},
        {"another state", other_state, "do not fit the file's digest"},
        {"other units", other_units, "do not fit the file's digest"},
        {"other values", other_value, "do not fit the file's digest"},
    };
    struct rp_study study;
    struct rp_study back;
    fill_study(&study, 5);
    for (size_t i = 0; i < RP_COUNT(cases); ++i) {
        unlink(path);
        CHECK_OK(rp_results_write(path, &study), cases[i].name);
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        CHECK_TRUE(file >= 0, cases[i].name);
        cases[i].change(file);
        CHECK_TRUE(H5Fclose(file) >= 0, cases[i].name);
        CHECK_STATUS(rp_results_read(path, &back), RP_ERR_DAMAGED, cases[i].name);
        CHECK_CONTAINS(rp_status_message(), cases[i].says, cases[i].name);
        CHECK_CONTAINS(rp_status_message(), path, cases[i].name);
        CHECK_EQ_I64((int64_t)rp_study_count(&back, RP_TABLE_RESULTS), 0, cases[i].name);
    }
    rp_study_clear(&study);
}

static void test_not_a_result_file(void **state)
{
    (void)state;
    struct rp_study back;
    CHECK_STATUS(rp_results_read(path, &back), RP_ERR_ENVIRONMENT, "no such file");
    CHECK_CONTAINS(rp_status_message(), "No such file", "no such file");
    CHECK_STATUS(rp_results_read("/tmp", &back), RP_ERR_ENVIRONMENT, "a folder");
    CHECK_STATUS(rp_results_read("CMakeLists.txt", &back), RP_ERR_DAMAGED, "a text");
    CHECK_CONTAINS(rp_status_message(), "CMakeLists.txt is not an HDF5 file", "a text");
    FILE *f = fopen(path, "w");
    fclose(f);
    CHECK_STATUS(rp_results_read(path, &back), RP_ERR_DAMAGED, "an empty file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_round_trip, remove_file),
        cmocka_unit_test_teardown(test_many_samples, remove_file),
        cmocka_unit_test_teardown(test_job_text_of_a_mebibyte, remove_file),
        cmocka_unit_test_teardown(test_word_of_bad_bytes, remove_file),
        cmocka_unit_test_teardown(test_equal_studies_equal_bytes, remove_file),
        cmocka_unit_test_teardown(test_digest_sees_every_column, remove_file),
        cmocka_unit_test_teardown(test_existing_file_stays, remove_file),
        cmocka_unit_test_teardown(test_refusals, remove_file),
        cmocka_unit_test_teardown(test_not_a_result_file, remove_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
