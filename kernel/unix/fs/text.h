/*
 * text.h - text that is made when it is read. The maker writes all of it; the part that a read asks
 * for is kept.
 */
#ifndef TOLLGATE_UNIX_FS_TEXT_H
#define TOLLGATE_UNIX_FS_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
        char *to; /* where the part goes */
        uint64_t from;
        size_t room, size; /* bytes that may be kept, and are */
        uint64_t length;   /* of all that has been made so far */
};

void text_add(struct text *text, const void *bytes, size_t count);
/* A line or less, of 255 characters at most; an interrupt_window(). */
void text_print(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
