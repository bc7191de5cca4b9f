/* programs.h - the built-in programs (<arch>/programs.c). */
#ifndef TOLLGATE_ALONE_PROGRAMS_H
#define TOLLGATE_ALONE_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

struct program {
        const char *path; /* NULL = end of the list */
        const uint8_t *start, *end;
        bool trusted;
};
extern const struct program programs[];

#endif
