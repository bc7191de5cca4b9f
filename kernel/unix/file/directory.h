/* directory.h - reading the entries of a directory. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct file;

/* Writes as many entries of an open directory as fit, for getdents64(). Returns their bytes, 0 at
 * the end, -EINVAL if not one fits. */
long directory_read(struct file *file, uintptr_t to, size_t size);
