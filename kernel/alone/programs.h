/* programs.h - the built-in programs (<arch>/programs.c). */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct program {
        const char *path; /* NULL = end of the list */
        const uint8_t *start, *end;
        bool trusted;
};
extern const struct program programs[];
