/* text.h - text that is generated when it is read. The generator writes all of it; the part that a
 * read requests is kept. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct text {
        char *to; /* buffer for the part */
        uint64_t from;
        size_t room, size; /* its size, and bytes in it */
        uint64_t length;   /* length of all text generated so far */
};

void text_add(struct text *text, const void *bytes, size_t count);
/* Adds a line or less, of 255 characters at most; an interrupt_window(). */
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
