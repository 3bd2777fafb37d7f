/*
 * option.c - walks argv along a table of option rows. Printing the help is option_help.c.
 *
 * Nothing here knows a single option; every sentence names the option as it was typed, the value
 * and what would have been allowed.
 */
#include "base/option.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/parse.h"
#include "base/text.h"

enum { MAX_OPTIONS = 64 }; /* of one command, for "did you mean" */

/* What one parse carries along. */
struct walk {
    const struct rp_command *command;
    int argc;
    char *const *argv;
    int next; /* index of the argument to look at */
    void *values;
};

static const char *command_name(const struct rp_command *command)
{
    return command->name ? command->name : command->program;
}

static void *member(void *values, const struct rp_option *option)
{
    return (char *)values + option->offset;
}

static enum rp_status fail_range(const struct rp_option *option, const char *value)
{
    char low[RP_DECIMAL_SIZE];
    char high[RP_DECIMAL_SIZE];
    rp_decimal_text(option->min, low);
    rp_decimal_text(option->max, high);
    return RP_FAIL(RP_ERR_USAGE, "--%s: \"%s\" must be a%s number in %s..%s%s%s", option->name,
                   value, option->kind == RP_OPTION_INT ? " whole" : "", low, high,
                   option->units ? " " : "", option->units ? option->units : "");
}

static enum rp_status set_number(const struct rp_option *option, const char *value, void *target)
{
    int64_t whole = 0;
    double real = 0.0;
    bool parsed = option->kind == RP_OPTION_INT ? rp_parse_i64(value, false, &whole)
                                                : rp_parse_f64(value, &real);
    double compared = option->kind == RP_OPTION_INT ? (double)whole : real;
    if (!parsed || compared < option->min || compared > option->max)
        return fail_range(option, value);
    if (option->kind == RP_OPTION_INT)
        memcpy(target, &whole, sizeof whole);
    else
        memcpy(target, &real, sizeof real);
    return RP_OK;
}

static enum rp_status add_item(const struct rp_option *option, const char *value,
                               struct rp_option_list *list)
{
    if (list->count == RP_OPTION_LIST_MAX)
        return RP_FAIL(RP_ERR_USAGE, "--%s: given more than %d times", option->name,
                       RP_OPTION_LIST_MAX);
    list->items[list->count++] = value;
    return RP_OK;
}

static enum rp_status set_value(const struct rp_option *option, const char *value, void *values)
{
    void *target = member(values, option);
    if (option->kind != RP_OPTION_FLAG && value[0] == '\0')
        return RP_FAIL(RP_ERR_USAGE, "--%s: the value is empty", option->name);
    switch (option->kind) {
    case RP_OPTION_FLAG:
        *(bool *)target = strcmp(value, "true") == 0;
        return RP_OK;
    case RP_OPTION_INT:
    case RP_OPTION_REAL:
        return set_number(option, value, target);
    case RP_OPTION_CHOICE:
        if (!rp_text_has_word(option->choices, value))
            return RP_FAIL(RP_ERR_USAGE, "--%s: \"%s\" must be one of %s", option->name, value,
                           option->choices);
        *(const char **)target = value;
        return RP_OK;
    case RP_OPTION_WORD:
        *(const char **)target = value;
        return RP_OK;
    case RP_OPTION_LIST:
        return add_item(option, value, target);
    }
    return RP_FAIL(RP_ERR_INTERNAL, "--%s: unknown kind of option", option->name);
}

static enum rp_status fail_unknown(const struct walk *walk, const char *typed, size_t length)
{
    const char *names[MAX_OPTIONS];
    char word[64] = "";
    size_t count = 0;
    for (size_t i = 0; i < walk->command->n_options && count + 1 < MAX_OPTIONS; ++i)
        names[count++] = walk->command->options[i].name;
    names[count++] = "help";
    if (length < sizeof word)
        memcpy(word, typed, length);
    const char *near = rp_text_nearest(word, names, count);
    return RP_FAIL(RP_ERR_USAGE, "--%.*s: %s has no such option%s%s%s; see --help", (int)length,
                   typed, command_name(walk->command), near ? "; did you mean --" : "",
                   near ? near : "", near ? "?" : "");
}

/* The value that follows as an argument of its own. A value may begin with one dash ("-", "-1"),
 * but "--x" after an option is a forgotten value far more often than a value. */
static enum rp_status take_next(struct walk *walk, const struct rp_option *option,
                                const char **value)
{
    const char *name = option->value_name ? option->value_name : "VALUE";
    if (walk->next >= walk->argc)
        return RP_FAIL(RP_ERR_USAGE, "--%s: needs a value, %s", option->name, name);
    if (strncmp(walk->argv[walk->next], "--", 2) == 0)
        return RP_FAIL(RP_ERR_USAGE, "--%s: needs a value, %s, before \"%s\"; write --%s=%s",
                       option->name, name, walk->argv[walk->next], option->name,
                       walk->argv[walk->next]);
    *value = walk->argv[walk->next++];
    return RP_OK;
}

static enum rp_status parse_long(struct walk *walk, const char *typed)
{
    size_t length = strcspn(typed, "=");
    const struct rp_option *option = NULL;
    for (size_t i = 0; i < walk->command->n_options; ++i) {
        const char *name = walk->command->options[i].name;
        if (strlen(name) == length && memcmp(name, typed, length) == 0)
            option = &walk->command->options[i];
    }
    if (!option)
        return fail_unknown(walk, typed, length);
    const char *value = typed[length] == '=' ? typed + length + 1 : NULL;
    if (option->kind == RP_OPTION_FLAG) {
        if (value)
            return RP_FAIL(RP_ERR_USAGE, "--%s: takes no value, was given \"%s\"", option->name,
                           value);
        value = "true";
    }
    if (!value)
        RP_TRY(take_next(walk, option, &value));
    return set_value(option, value, walk->values);
}

/* -o FILE, -oFILE, and flags one by one or together (-ab). */
static enum rp_status parse_letters(struct walk *walk, const char *letters)
{
    for (const char *p = letters; *p; ++p) {
        const struct rp_option *option = NULL;
        for (size_t i = 0; i < walk->command->n_options; ++i) {
            if (walk->command->options[i].letter == *p)
                option = &walk->command->options[i];
        }
        if (!option)
            return RP_FAIL(RP_ERR_USAGE, "-%s: %s has no option -%c; see --help", letters,
                           command_name(walk->command), *p);
        if (option->kind == RP_OPTION_FLAG) {
            RP_TRY(set_value(option, "true", walk->values));
            continue;
        }
        const char *value = p[1] ? p + 1 : NULL;
        if (!value)
            RP_TRY(take_next(walk, option, &value));
        return set_value(option, value, walk->values);
    }
    return RP_OK;
}

static bool help_is_asked(int argc, char *const *argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        if (strcmp(argv[i], "--help") == 0)
            return true;
    }
    return false;
}

static enum rp_status check_operands(const struct rp_command *command, size_t count,
                                     const char *const *items)
{
    if (count < command->min_operands)
        return RP_FAIL(RP_ERR_USAGE, "%s: needs %s; see --help", command_name(command),
                       command->operands);
    if (count > command->max_operands)
        return RP_FAIL(RP_ERR_USAGE, "%s: does not know what to do with \"%s\"; takes %s",
                       command_name(command), items[command->max_operands],
                       command->operands[0] ? command->operands : "options only");
    return RP_OK;
}

static enum rp_status parse_arguments(struct walk *walk, const char **items, size_t *count)
{
    bool options_end = false;
    while (walk->next < walk->argc) {
        const char *argument = walk->argv[walk->next++];
        if (!options_end && strcmp(argument, "--") == 0)
            options_end = true;
        else if (!options_end && strncmp(argument, "--", 2) == 0)
            RP_TRY(parse_long(walk, argument + 2));
        else if (!options_end && argument[0] == '-' && argument[1] != '\0')
            RP_TRY(parse_letters(walk, argument + 1));
        else
            items[(*count)++] = argument;
    }
    return RP_OK;
}

enum rp_status rp_option_parse(const struct rp_command *command, int argc, char *const *argv,
                               void *values, struct rp_operands *operands)
{
    struct walk walk = {command, argc, argv, 1, values};
    *operands = (struct rp_operands){0};
    for (size_t i = 0; i < command->n_options; ++i) {
        if (command->options[i].default_text)
            RP_TRY(set_value(&command->options[i], command->options[i].default_text, values));
    }
    if (help_is_asked(argc, argv)) {
        operands->help_asked = true;
        return RP_OK;
    }
    const char **items = calloc((size_t)argc + 1, sizeof items[0]);
    if (!items)
        return RP_FAIL(RP_ERR_INTERNAL, "no memory for %d arguments", argc);
    operands->items = items;
    enum rp_status status = parse_arguments(&walk, items, &operands->count);
    if (status == RP_OK)
        status = check_operands(command, operands->count, items);
    if (status != RP_OK)
        rp_operands_clear(operands);
    return status;
}

void rp_operands_clear(struct rp_operands *operands)
{
    /* The array is ours; only the pointers in it are const to the caller. */
    free((void *)(uintptr_t)operands->items);
    *operands = (struct rp_operands){0};
}
