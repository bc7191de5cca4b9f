/*
 * markup.h - a page read and stripped in kernel code, and timed there: what a module of the kernel
 * does that calls the file's read function and then its parser. A kernel function by name
 * (program/export.def).
 */
#ifndef TOLLGATE_UNIX_FILE_MARKUP_H
#define TOLLGATE_UNIX_FILE_MARKUP_H

#include <stdbool.h>
#include <stdint.h>

#define MARKUP_ROOM 4096

/* `count` reads of up to `size` bytes by the read function of the file's kind, from the file's
 * start on, or with `rewinds` from it each time; then the text of the first `size` bytes, as often.
 * The TSC's differences go to `reads` and `parses`, the text to `text`. */
struct markup {
        long fd, size, count, rewinds;
        uint32_t *reads, *parses;
        char *text;
};
/* The text's bytes, or the read's error, -EBADF, -EINVAL, -EFAULT. */
long markup_read(const struct markup *ask);

#endif
