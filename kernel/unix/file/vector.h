/* vector.h - a program's struct iovec: several buffers that are read or written as one. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;

#define VECTORS_MOST 1024 /* Linux's IOV_MAX */

/* Handles one non-empty buffer; `done` is the number of bytes before it. Bytes, or -errno. */
typedef long vector_act(void *context, uintptr_t at, size_t size, size_t done);

/* Handles buffers until one is incomplete: the total bytes, or the first buffer's error. A bad
 * length or address is found before anything is done. `file`: whose position only this call moves
 * meanwhile, or NULL. */
long vectors_each(uintptr_t vectors, size_t count, struct file *file, vector_act *act,
                  void *context);
/* A read or write of an open file with `count` buffers. */
long vectors_transfer(struct file *file, long vectors, long count, bool writes);
