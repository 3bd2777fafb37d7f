/* devices.c - `ridgepoint devices`: what this machine offers, one row a device. */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/option.h"
#include "base/table.h"
#include "cli/cli.h"
#include "device/device.h"

struct devices_values {
    const char *format;
};

static const struct rp_option options[] = {
    {.name = "format",
     .kind = RP_OPTION_CHOICE,
     .offset = offsetof(struct devices_values, format),
     .default_text = "table",
     .choices = RP_TABLE_FORMATS,
     .help = "table is for eyes; csv and json carry full precision"},
};

static const struct rp_command command = {
    .program = "ridgepoint",
    .name = "devices",
    .operands = "",
    .summary = "list the devices of this machine, with the reason where one cannot be used",
    .example = "ridgepoint devices --format json\nlists them for a program",
    .options = options,
    .n_options = RP_COUNT(options),
};

static const struct rp_table_column columns[] = {
    {"backend", NULL, NULL},
    {"gpu_type", "type", NULL},
    {"name", NULL, NULL},
    {"cores", NULL, NULL},
    {"memory_bytes", "memory", "GiB"},
    {"last_level_cache_bytes", "last-level cache", "MiB"},
    {"usable", NULL, NULL},
    {"reason", NULL, NULL},
};

static void add_bytes(struct rp_table_writer *writer, int64_t bytes, double unit)
{
    char display[32];
    if (bytes < 0) {
        rp_table_missing(writer);
        return;
    }
    snprintf(display, sizeof display, "%.1f", (double)bytes / unit);
    rp_table_f64(writer, (double)bytes, display);
}

static void add_device(struct rp_table_writer *writer, const struct rp_device_info *info)
{
    const struct rp_device_row *row = &info->row;
    rp_table_word(writer, row->backend);
    rp_table_word(writer, row->gpu_type);
    rp_table_word(writer, row->name);
    rp_table_i64(writer, row->multiprocessors);
    add_bytes(writer, row->memory_bytes, 1024.0 * 1024 * 1024);
    add_bytes(writer, row->l2_bytes, 1024.0 * 1024);
    rp_table_bool(writer, true);
    rp_table_word(writer, "");
}

static void add_unusable(struct rp_table_writer *writer, const char *backend, const char *reason)
{
    rp_table_word(writer, backend);
    for (int i = 0; i < 5; ++i)
        rp_table_missing(writer);
    rp_table_bool(writer, false);
    rp_table_word(writer, reason);
}

static void list_backend(struct rp_table_writer *writer, const struct rp_backend *backend)
{
    char reason[512] = "";
    int n = backend->count(reason, sizeof reason);
    if (n == 0)
        add_unusable(writer, backend->name, reason);
    for (int i = 0; i < n; ++i) {
        struct rp_device *device = NULL;
        const struct rp_device_request request = {.index = i, .local_size = 1};
        if (rp_device_open(backend, &request, &device) == RP_OK)
            add_device(writer, rp_device_info(device));
        else
            add_unusable(writer, backend->name, rp_status_message());
        rp_device_close(device);
    }
}

static enum rp_status list_devices(enum rp_table_format format)
{
    struct rp_table_writer *writer = NULL;
    RP_TRY(
        rp_table_begin(stdout, format, "ridgepoint-devices", columns, RP_COUNT(columns), &writer));
    for (size_t i = 0; rp_backends()[i]; ++i) {
        if (!rp_backends()[i]->computes_nothing) /* simulated ones are nowhere */
            list_backend(writer, rp_backends()[i]);
    }
    if (!rp_backend_find("cuda"))
        add_unusable(writer, "cuda", "this build has no CUDA");
    return rp_table_end(writer);
}

int rp_cli_devices(int argc, char **argv)
{
    struct devices_values values = {0};
    struct rp_operands operands = {0};
    enum rp_status status = rp_option_parse(&command, argc, argv, &values, &operands);
    if (status == RP_OK && operands.help_asked)
        rp_option_print_help(&command, stdout);
    else if (status == RP_OK)
        status = list_devices(rp_table_format_of(values.format));
    rp_operands_clear(&operands);
    if (status == RP_OK)
        return 0;
    rp_log(RP_LOG_ERROR, "%s", rp_status_message());
    return rp_status_exit_code(status);
}
