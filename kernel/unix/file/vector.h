/* vector.h - a program's struct iovec: parts of its memory that are read or written as one. */
#ifndef TOLLGATE_UNIX_FILE_VECTOR_H
#define TOLLGATE_UNIX_FILE_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;

#define VECTORS_MOST 1024 /* Linux's IOV_MAX */

/* Handles one part that is not empty; `done` is the number of bytes in the parts before it. Bytes,
 * or -errno. */
typedef long vector_act(void *context, uintptr_t at, size_t size, size_t done);

/* One part after the other, until one is not done whole: all bytes, or the first part's error. A
 * bad length or place is found before anything is done. */
long vectors_each(uintptr_t vectors, size_t count, vector_act *act, void *context);
/* A read or write of an open file by so many. */
long vectors_transfer(struct file *file, long vectors, long count, bool writes);

#endif
