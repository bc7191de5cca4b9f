/* folder.h - reading the entries of a folder. */
#ifndef TOLLGATE_FILE_FOLDER_H
#define TOLLGATE_FILE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

struct file;

/* As many entries of an open folder as fit, for getdents64(). Their bytes, 0 at the end, -EINVAL if
 * not one fits. */
long folder_read(struct file *file, uintptr_t to, size_t size);

#endif
