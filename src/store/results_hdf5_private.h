/*
 * results_hdf5_private.h - what the files behind results_hdf5.h share.
 *
 * HDF5 keeps its own stack of errors and likes to print it; here it is silenced for the length of a
 * call and its innermost entry becomes part of our one sentence.
 */
#ifndef RP_STORE_RESULTS_HDF5_PRIVATE_H
#define RP_STORE_RESULTS_HDF5_PRIVATE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "store/results_digest.h"
#include "store/results_source.h"
#include "store/study.h"

struct rp_hdf5_quiet {
    H5E_auto2_t print;
    void *data;
};

void rp_hdf5_quiet_begin(struct rp_hdf5_quiet *quiet);
void rp_hdf5_quiet_end(const struct rp_hdf5_quiet *quiet);

/* Why the last HDF5 call of this thread failed, in the library's words; "no reason given" at
 * worst. */
#define RP_HDF5_REASON_SIZE 160
const char *rp_hdf5_reason(char text[RP_HDF5_REASON_SIZE]);

/* Access properties without file locks: published files never change, and flock fails on some file
 * systems. To be closed. */
hid_t rp_hdf5_file_access(void);

/* Closes any kind of identifier; a negative one is ignored. */
void rp_hdf5_close(hid_t id);

struct rp_hdf5_image {
    char *bytes; /* heap; the caller frees it. Null until the file is closed */
    size_t size;
};

/* Creates an HDF5 file in memory. Its bytes are in `image`, which must not move, once H5Fclose
 * returned. */
hid_t rp_hdf5_image_create(struct rp_hdf5_image *image);

/* Cuts what the library allocated beyond the end of the file. */
enum rp_status rp_hdf5_image_trim(struct rp_hdf5_image *image) RP_MUST_CHECK;

/* A file that is being written. */
struct rp_hdf5_writer {
    hid_t file;
    const struct rp_study *study;
    const struct rp_results_source *source; /* null: all rows are in the study */
    struct rp_digest_list digests;          /* of the columns written */
};

/* Rows of a table when all are written. */
size_t rp_hdf5_writer_rows(const struct rp_hdf5_writer *writer, enum rp_table_id id);

/* Creates the group of one table and writes it. */
enum rp_status rp_hdf5_write_table(struct rp_hdf5_writer *writer,
                                   enum rp_table_id id) RP_MUST_CHECK;

/* A sentence with the library's reason; `column` null: of the table. Returns RP_ERR_INTERNAL. */
enum rp_status rp_hdf5_not_created(const char *what, const char *table,
                                   const char *column) RP_MUST_CHECK;

/* A scalar attribute; `type` -1 stands for a variable-length string and `value` then points to a
 * char pointer. False when it cannot be written. */
bool rp_hdf5_put_attribute(hid_t object, const char *name, hid_t type, const void *value);
bool rp_hdf5_put_text(hid_t object, const char *name, const char *text);

/* A scalar variable-length attribute; heap, null when there is none of that kind. */
char *rp_hdf5_get_text(hid_t object, const char *name);

#define RP_HDF5_NAME_SIZE 64
/* Name of the i-th link of a group in order of names; false when it cannot be read or is longer. */
bool rp_hdf5_child_name(hid_t group, uint64_t i, char name[RP_HDF5_NAME_SIZE]);
/* False when there are more than `limit`. */
bool rp_hdf5_child_count(hid_t group, uint64_t limit, uint64_t *count);
/* Opens a child of this kind, negative when it is none; never through a link that leaves the
 * file. */
hid_t rp_hdf5_open_child(hid_t parent, const char *name, H5I_type_t kind);

/* What undoing the filters of a chunk takes, shared by all columns of a file. */
struct rp_hdf5_room {
    char *bytes; /* heap */
    size_t size;
};
struct rp_hdf5_scratch {
    struct z_stream_s *inflate; /* heap; null until it is needed */
    struct rp_hdf5_room stored, between;
};
void rp_hdf5_scratch_clear(struct rp_hdf5_scratch *scratch);

struct rp_hdf5_reader {
    hid_t file;
    uint64_t file_bytes;
    bool sealed; /* with a seal that fits */
    struct rp_study *study;
    bool kept[RP_TABLE_COUNT]; /* its rows go into the study when it is read; all, if not told */
    struct rp_digest_list digests;
    char *digest; /* heap; what the file's attribute says */
    int64_t rows; /* likewise */
    struct rp_hdf5_scratch scratch;
};

/* Checks the seal, opens the file and reads its attributes into reader and `study`, which must be
 * empty. The reader is to be closed also on failure. Messages name the path. */
enum rp_status rp_hdf5_reader_open(struct rp_hdf5_reader *reader, const char *path,
                                   struct rp_study *study) RP_MUST_CHECK;
void rp_hdf5_reader_close(struct rp_hdf5_reader *reader);

enum { RP_HDF5_FILTERS_MAX = 3 }; /* shuffle, deflate and Fletcher-32, each at most once */

/* One dataset as found in the file. */
struct rp_hdf5_found {
    char name[RP_HDF5_NAME_SIZE];
    enum rp_column_kind kind; /* strings are WORD until the schema says TEXT */
    size_t width;
    uint64_t rows;
    size_t chunk;                              /* rows */
    uint64_t stored;                           /* bytes its chunks take in the file */
    H5Z_filter_t filters[RP_HDF5_FILTERS_MAX]; /* in the order they were applied */
    size_t n_filters;
};

struct rp_hdf5_found_table {
    const char *name;
    hid_t group;
    const struct rp_table_schema *schema; /* null: a group of a later version */
    enum rp_table_id id;                  /* where there is a schema */
    struct rp_hdf5_found *columns;        /* heap */
    size_t n_columns;
};

/* Looks at every dataset of a group; RP_ERR_DAMAGED unless all can be read. To be closed also on
 * failure; `name` must outlive it. */
enum rp_status rp_hdf5_found_open(const struct rp_hdf5_reader *reader, const char *name,
                                  struct rp_hdf5_found_table *table) RP_MUST_CHECK;
void rp_hdf5_found_close(struct rp_hdf5_found_table *table);

/* Sentences about one dataset; the latter with the library's reason. Both return RP_ERR_DAMAGED. */
enum rp_status rp_hdf5_damaged(const struct rp_hdf5_found_table *table, const char *column,
                               const char *what) RP_MUST_CHECK;
enum rp_status rp_hdf5_unreadable(const struct rp_hdf5_found_table *table,
                                  const char *column) RP_MUST_CHECK;

/* Cells of one dataset, a chunk at a time. */
struct rp_hdf5_column {
    const struct rp_hdf5_found_table *table; /* null: never opened */
    const struct rp_hdf5_found *found;
    struct rp_hdf5_scratch *scratch; /* of the reader */
    hid_t dataset;
    struct rp_hdf5_cells {
        size_t first, count; /* the rows in `bytes` */
        char *bytes;         /* heap, one chunk; null until one is read */
    } cells, aside;          /* the chunk sought last, and one left behind by going back */
    size_t room;             /* for a chunk, and a checksum */
};

/* `reader`, `table` and `found` must outlive it. To be closed also when opening failed. */
enum rp_status rp_hdf5_column_open(struct rp_hdf5_column *io, struct rp_hdf5_reader *reader,
                                   const struct rp_hdf5_found_table *table,
                                   const struct rp_hdf5_found *found) RP_MUST_CHECK;
void rp_hdf5_column_close(struct rp_hdf5_column *io);

/* Makes `cells` those of the chunk that has `row`. Who goes back and forth between two places reads
 * their chunks once. RP_ERR_DAMAGED when a filter cannot be undone. */
enum rp_status rp_hdf5_column_seek(struct rp_hdf5_column *io, size_t row) RP_MUST_CHECK;

/* Whether the schema's column is of the kind found. */
bool rp_hdf5_same_kind(const struct rp_column *column, const struct rp_hdf5_found *found);

/* Reads one group into the digest list and, when it is kept, into the study. */
enum rp_status rp_hdf5_read_table(struct rp_hdf5_reader *reader, const char *name) RP_MUST_CHECK;

/* Reads every group likewise. RP_ERR_DAMAGED when one is missing, or when they do not fit the
 * digest. */
enum rp_status rp_hdf5_read_tables(struct rp_hdf5_reader *reader) RP_MUST_CHECK;

#endif
