/* markup.h - reads a page and strips its markup in kernel code, with times: like a kernel module
 * that calls the file's read function and then its parser. A kernel function by name
 * (program/export.def). */
#pragma once
#include <stdint.h>

#define MARKUP_ROOM 4096

/* Makes `count` reads of up to `size` bytes by the read function of the file's kind, from the
 * file's start on; with `rewinds`, each from the start. Then extracts the text of the first `size`
 * bytes as often. `reads` and `parses` get the TSC differences, `text` the text. */
struct markup {
        long fd, size, count, rewinds;
        uint32_t *reads, *parses;
        char *text;
};
/* Bytes of text, or the read's error, -EBADF, -EINVAL, -EFAULT. */
long markup_read(const struct markup *ask);
