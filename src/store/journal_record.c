/* journal_record.c - frames, checksums and the file of a journal. */
#include "store/journal_record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "base/text.h"
#include "model/column.h"

static uint64_t checksum(const struct rp_journal_frame *frame, const void *payload)
{
    uLong crc = crc32_z(0, (const Bytef *)&frame->kind, sizeof frame->kind);
    crc = crc32_z(crc, (const Bytef *)&frame->payload_bytes, sizeof frame->payload_bytes);
    return crc32_z(crc, payload, (size_t)frame->payload_bytes);
}

void rp_journal_frame_make(enum rp_journal_kind kind, const void *payload, size_t bytes,
                           struct rp_journal_frame *frame)
{
    *frame = (struct rp_journal_frame){
        .magic = RP_JOURNAL_MAGIC, .kind = (uint32_t)kind, .payload_bytes = bytes};
    frame->check = checksum(frame, payload);
}

size_t rp_journal_frame_check(const void *data, size_t left, struct rp_journal_frame *frame)
{
    if (left < sizeof *frame)
        return 0;
    memcpy(frame, data, sizeof *frame);
    if (frame->magic != RP_JOURNAL_MAGIC || frame->payload_bytes > left - sizeof *frame)
        return 0;
    if (checksum(frame, (const char *)data + sizeof *frame) != frame->check)
        return 0;
    return sizeof *frame + (size_t)frame->payload_bytes;
}

enum rp_status rp_journal_header_make(struct rp_journal_header *header)
{
    memset(header, 0, sizeof *header);
    struct rp_digest *digest = rp_digest_create();
    for (int id = 0; id < RP_TABLE_COUNT; ++id) {
        const struct rp_table_schema *schema = rp_table_schema((enum rp_table_id)id);
        rp_digest_add(digest, &schema->row_bytes, sizeof schema->row_bytes);
        for (size_t i = 0; i < schema->n_columns; ++i) {
            const struct rp_column *c = &schema->columns[i];
            rp_digest_add(digest, c->name, strlen(c->name) + 1);
            rp_digest_add(digest, &c->kind, sizeof c->kind);
            rp_digest_add(digest, &c->offset, sizeof c->offset);
        }
    }
    enum rp_status status = rp_digest_end(digest, header->fingerprint);
    rp_digest_destroy(digest);
    return status;
}

char *rp_journal_path(const char *path)
{
    struct rp_text text;
    rp_text_init(&text);
    rp_text_printf(&text, "%s.journal", path);
    if (!rp_text_ok(&text))
        rp_text_clear(&text);
    return text.data;
}

enum rp_status rp_journal_read_whole(const char *path, char **data, size_t *size, bool *found)
{
    struct stat info;
    size_t have = 0;
    *data = NULL;
    *size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *found = fd >= 0;
    if (fd < 0 && errno == ENOENT)
        return RP_OK;
    if (fd < 0 || fstat(fd, &info) != 0) {
        enum rp_status status =
            RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be read: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return status;
    }
    *data = malloc((size_t)info.st_size + 1);
    ssize_t got = *data ? 1 : -1;
    while (got > 0 && have < (size_t)info.st_size) {
        got = read(fd, *data + have, (size_t)info.st_size - have);
        have += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    *size = have;
    if (got >= 0)
        return RP_OK;
    free(*data);
    *data = NULL;
    return RP_FAIL(RP_ERR_ENVIRONMENT, "%s cannot be read", path);
}

size_t rp_journal_whole_bytes(const char *data, size_t size)
{
    size_t at = 0;
    struct rp_journal_frame frame;
    for (;;) {
        size_t record = rp_journal_frame_check(data + at, size - at, &frame);
        if (record == 0)
            return at;
        at += record;
    }
}
