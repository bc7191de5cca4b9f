/* script.c - reads the first line of a script, as Linux does (execve(2), "Interpreter scripts"). */
#include "program/script.h"
#include "errno.h"
#include "lib/string.h"

static bool is_blank(char c)
{
        return c == ' ' || c == '\t';
}

static char *skip_blanks(char *at)
{
        while (is_blank(*at))
                at++;
        return at;
}

static char *word_end(char *at)
{
        while (*at && !is_blank(*at))
                at++;
        return at;
}

/* Ends the line. False = no end was found, so the interpreter's name may be cut. */
static bool end_line(char *line)
{
        char *end = line;
        while (*end && *end != '\n')
                end++;
        if (!*end && !*word_end(skip_blanks(line + 2)) && end - line == SCRIPT_LINE - 1)
                return false;
        while (end > line + 2 && is_blank(end[-1]))
                end--;
        *end = 0;
        return true;
}

int script_add(struct script *script, const char *path, const char *start, size_t size)
{
        if (script->depth == SCRIPTS_MOST)
                return -ELOOP;
        char *line = script->lines[script->depth++];
        memcpy(line, start, size < SCRIPT_LINE ? size : SCRIPT_LINE - 1);
        if (!end_line(line))
                return -ENOEXEC;
        char *interpreter = skip_blanks(line + 2), *end = word_end(interpreter);
        char *argument = skip_blanks(end);
        if (!*interpreter)
                return -ENOEXEC;
        *end = 0;

        /* the script's name is passed as its path */
        const char *first[3] = {interpreter};
        unsigned n = 1, kept = script->count ? script->count - 1 : 0;
        if (*argument)
                first[n++] = argument;
        first[n++] = path;
        memmove(script->words + n, script->words + 1, kept * sizeof *script->words);
        memcpy(script->words, first, n * sizeof *first);
        script->count = n + kept;
        return 0;
}
