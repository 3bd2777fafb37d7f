/*
 * option.h - command-line options as rows of a table; parser, --help and range check read the same
 * row.
 *
 * Every option has a long form (--name value or --name=value); one letter is optional. --help is
 * understood by every command. "--" ends the options; "-" alone is an operand.
 */
#ifndef RP_BASE_OPTION_H
#define RP_BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

enum rp_option_kind {
    RP_OPTION_FLAG,   /* bool; takes no value */
    RP_OPTION_INT,    /* int64_t within min .. max */
    RP_OPTION_REAL,   /* double within min .. max */
    RP_OPTION_WORD,   /* const char *, points into argv */
    RP_OPTION_CHOICE, /* const char *, one of `choices` */
    RP_OPTION_LIST    /* struct rp_option_list, repeatable */
};

enum { RP_OPTION_LIST_MAX = 256 };

struct rp_option_list {
    const char *items[RP_OPTION_LIST_MAX]; /* point into argv */
    size_t count;
};

struct rp_option {
    const char *name; /* long form without dashes */
    char letter;      /* 0: none */
    enum rp_option_kind kind;
    size_t offset; /* of the member in the command's own struct */
    const char
        *default_text;   /* parsed like a value before argv is; null: left as the caller set it */
    double min, max;     /* INT and REAL */
    const char *choices; /* CHOICE: "auto|bar|line|none" */
    const char *value_name; /* shown in help: FILE, N, KEY=VALUE */
    const char *units;      /* shown in help; null: none */
    const char *help;
};

struct rp_command {
    const char *program;  /* "ridgepoint" */
    const char *name;     /* "run"; null for the program itself */
    const char *operands; /* "JOB.yaml", "FILE..." or "" */
    size_t min_operands, max_operands;
    const char *summary; /* one line */
    const char *example; /* one worked example: a command and what it does */
    const struct rp_option *options;
    size_t n_options;
};

struct rp_operands {
    const char *const *items; /* heap array of pointers into argv; owned by this struct */
    size_t count;
    bool help_asked; /* --help was there: nothing was checked beyond it */
};

/* argv[0] is the command's name and skipped. `values` is the command's own struct. RP_ERR_USAGE
 * names the option, the value and the allowed range, with "did you mean" for a near miss. */
enum rp_status rp_option_parse(const struct rp_command *command, int argc, char *const *argv,
                               void *values, struct rp_operands *operands) RP_MUST_CHECK;
void rp_operands_clear(struct rp_operands *operands);

/* Usage, summary, one line an option with value, default, range and units, and the example. */
void rp_option_print_help(const struct rp_command *command, FILE *out);

#endif
