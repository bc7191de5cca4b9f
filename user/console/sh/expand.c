/* expand.c - removes a word's quotes and backslashes, expands $..., and splits it into fields. */
#include "sh.h"

#define FIELDS 1024
#define TEXT 16384

static char text[TEXT]; /* the current field */
static size_t length;
static bool begun; /* the field exists even if empty, because it had quotes */
static char *fields[FIELDS];
static unsigned count;
static bool splits, full, is_pattern;

static void add(char c)
{
        begun = true;
        if (length < TEXT - 1)
                text[length++] = c;
        else
                full = true;
}

/* The matching names; if there are none, the pattern itself. */
static void end_pattern(void)
{
        unsigned found = 0;
        text[length] = '\0';
        if (splits)
                found = match_names(text, fields + count, FIELDS - 1 - count);
        for (size_t i = 0; i < length; i++)
                text[i] = text[i] == MATCH_ALL ? '*' : text[i] == MATCH_ONE ? '?' : text[i];
        count += found;
        begun &= !found;
        is_pattern = false;
}

static void end_field(void)
{
        if (begun && is_pattern)
                end_pattern();
        if (begun && count < FIELDS - 1)
                fields[count++] = text_copy(text, length);
        else if (begun)
                full = true;
        begun = false;
        length = 0;
}

static void add_value(const char *value, bool quoted)
{
        for (; value && *value; value++) {
                if (!quoted && splits && strchr(" \t\n", *value))
                        end_field();
                else
                        add(*value);
        }
}

static void add_arguments(bool quoted)
{
        for (char **at = shell.arguments; *at; at++) {
                add_value(*at, quoted);
                begun |= quoted;
                if (at[1] && splits)
                        end_field();
                else if (at[1])
                        add(' ');
        }
}

static void add_number(long number)
{
        char digits[24];
        snprintf(digits, sizeof digits, "%ld", number);
        add_value(digits, true);
}

static long argument_count(void)
{
        long n = 0;
        while (shell.arguments[n])
                n++;
        return n;
}

/* Expands $c for a single character. False = not special. */
static bool add_special(char c, bool quoted)
{
        switch (c) {
        case '?': add_number(shell.status); return true;
        case '$': add_number(shell.pid); return true;
        case '#': add_number(argument_count()); return true;
        case '!':
                if (shell.background)
                        add_number(shell.background);
                return true;
        case '@':
        case '*': add_arguments(quoted); return true;
        case '0': add_value(shell.name, quoted); return true;
        }
        if (c < '1' || c > '9')
                return false;
        if (c - '1' < argument_count())
                add_value(shell.arguments[c - '1'], quoted);
        return true;
}

/* `at` points behind a $. Returns where the word continues. */
static const char *expand_dollar(const char *at, bool quoted)
{
        bool braces = *at == '{';
        const char *name = at + braces;
        size_t size = name_length(name);
        const char *end = name + (size ? size : *name != 0);
        if (braces && *end != '}') {
                add('$');
                return at;
        }
        if (size)
                add_value(variable_get(name, size), quoted);
        else if (!*name || !add_special(*name, quoted)) {
                add('$');
                return at;
        }
        return end + braces;
}

static const char *expand_double(const char *at)
{
        begun = true;
        while (*at && *at != '"') {
                if (*at == '$') {
                        at = expand_dollar(at + 1, true);
                } else if (*at == '\\' && at[1] == '\n') {
                        at += 2;
                } else {
                        at += *at == '\\' && at[1] && strchr("$\"\\`", at[1]);
                        add(*at++);
                }
        }
        return at + (*at != 0);
}

static const char *expand_single(const char *at)
{
        begun = true;
        while (*at && *at != '\'')
                add(*at++);
        return at + (*at != 0);
}

static void expand(const char *at)
{
        /* "$@" without arguments gives no field. */
        bool nothing = !strcmp(at, "\"$@\"") && !*shell.arguments;
        while (*at && !nothing) {
                if (*at == '\'') {
                        at = expand_single(at + 1);
                } else if (*at == '"') {
                        at = expand_double(at + 1);
                } else if (*at == '$') {
                        at = expand_dollar(at + 1, false);
                } else if (*at == '*' || *at == '?') {
                        is_pattern = true;
                        add(*at++ == '*' ? MATCH_ALL : MATCH_ONE);
                } else {
                        at += *at == '\\' && at[1];
                        add(*at++);
                }
        }
        end_field();
}

static void begin(bool splitting)
{
        splits = splitting;
        begun = full = false;
        length = count = 0;
}

static bool too_much(void)
{
        if (full)
                say_error("a command's words are too many or too long");
        return full;
}

char *expand_text(const char *word)
{
        begin(false);
        expand(word);
        if (too_much())
                return NULL;
        return count ? fields[0] : text_copy("", 0);
}

char **expand_words(const struct word *words)
{
        begin(true);
        for (; words; words = words->next)
                expand(words->text);
        if (too_much())
                return NULL;
        char **list = allocate((count + 1) * sizeof *list);
        return memcpy(list, fields, count * sizeof *list);
}
