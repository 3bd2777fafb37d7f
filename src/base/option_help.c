/* option_help.c - --help from the same rows the parser walks. */
#include <string.h>

#include "base/decimal.h"
#include "base/option.h"
#include "base/text.h"

enum { LEFT_COLUMNS = 28, LINE_COLUMNS = 96 };

/* "  -o, --output FILE" */
static void add_left(struct rp_text *left, const struct rp_option *option)
{
    if (option->letter)
        rp_text_printf(left, "  -%c, --%s", option->letter, option->name);
    else
        rp_text_printf(left, "      --%s", option->name);
    if (option->kind == RP_OPTION_CHOICE && !option->value_name)
        rp_text_printf(left, " %s", option->choices);
    else if (option->kind != RP_OPTION_FLAG)
        rp_text_printf(left, " %s", option->value_name ? option->value_name : "VALUE");
}

/* "what it does (one of a|b; 1..64 threads; repeatable; default 1)" */
static void add_right(struct rp_text *right, const struct rp_option *option)
{
    struct rp_text notes;
    rp_text_init(&notes);
    if (option->kind == RP_OPTION_CHOICE && option->value_name)
        rp_text_printf(&notes, "; one of %s", option->choices);
    if (option->kind == RP_OPTION_INT || option->kind == RP_OPTION_REAL) {
        char low[RP_DECIMAL_SIZE];
        char high[RP_DECIMAL_SIZE];
        rp_decimal_text(option->min, low);
        rp_decimal_text(option->max, high);
        rp_text_printf(&notes, "; %s..%s%s%s", low, high, option->units ? " " : "",
                       option->units ? option->units : "");
    }
    if (option->kind == RP_OPTION_LIST)
        rp_text_printf(&notes, "; repeatable");
    if (option->default_text && option->kind != RP_OPTION_FLAG)
        rp_text_printf(&notes, "; default %s", option->default_text);
    rp_text_printf(right, "%s", option->help);
    if (notes.length > 2)
        rp_text_printf(right, " (%s)", notes.data + 2);
    if (!rp_text_ok(&notes))
        right->failed = true;
    rp_text_clear(&notes);
}

/* Words of `text` from column LEFT_COLUMNS on, broken before LINE_COLUMNS. */
static void print_wrapped(FILE *out, const char *text)
{
    size_t column = LEFT_COLUMNS;
    const char *separator = "";
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, " ");
        if (column > LEFT_COLUMNS && column + 1 + n > LINE_COLUMNS) {
            fprintf(out, "\n%*s", LEFT_COLUMNS, "");
            column = LEFT_COLUMNS;
            separator = "";
        }
        fprintf(out, "%s%.*s", separator, (int)n, p);
        column += n + 1;
        separator = " ";
        p += n + (p[n] == ' ');
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const struct rp_option *option)
{
    struct rp_text left;
    struct rp_text right;
    rp_text_init(&left);
    rp_text_init(&right);
    add_left(&left, option);
    add_right(&right, option);
    fprintf(out, "%-*s", LEFT_COLUMNS, rp_text_string(&left));
    if (left.length + 2 > LEFT_COLUMNS)
        fprintf(out, "\n%*s", LEFT_COLUMNS, "");
    print_wrapped(out, rp_text_string(&right));
    rp_text_clear(&left);
    rp_text_clear(&right);
}

void rp_option_print_help(const struct rp_command *command, FILE *out)
{
    static const struct rp_option help = {
        .name = "help", .kind = RP_OPTION_FLAG, .help = "print this text"};
    fprintf(out, "Usage: %s%s%s [OPTION]...%s%s\n\n%s\n\nOptions:\n", command->program,
            command->name ? " " : "", command->name ? command->name : "",
            command->operands[0] ? " " : "", command->operands, command->summary);
    for (size_t i = 0; i < command->n_options; ++i)
        print_option(out, &command->options[i]);
    print_option(out, &help);
    if (command->example)
        fprintf(out, "\nExample:\n  %s\n", command->example);
}
