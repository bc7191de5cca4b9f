/* script.h - a file whose first line names the program to run it: #!INTERPRETER [ARGUMENT]. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define SCRIPT_LINE 256 /* bytes read from a file, as Linux's BINPRM_BUF_SIZE */
#define SCRIPTS_MOST 5  /* a script's interpreter may be a script again */

/* The first arguments of a script: interpreter, its argument, the script's path. */
struct script {
        unsigned depth, count;
        const char *words[2 * SCRIPTS_MOST + 1];
        char lines[SCRIPTS_MOST][SCRIPT_LINE];
};

static inline bool script_is(const char *start, size_t size)
{
        return size > 2 && start[0] == '#' && start[1] == '!';
}

/* Adds the first bytes of the script at `path`, which must live as long as `script`; words[0] is
 * then the program to run. 0, -ENOEXEC, -ELOOP. */
int script_add(struct script *script, const char *path, const char *start, size_t size);
