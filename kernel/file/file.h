/*
 * file.h - open files, and the kinds of them: each kind is a source of its own and fills a struct
 * file_kind.
 */
#ifndef TOLLGATE_FILE_H
#define TOLLGATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "proc/schedule.h"

struct node; /* file/node.h: what lies in the tree */
struct file;

/* Buffers are the program's: copy with user_read() and user_write(). A missing function is -EINVAL
 * (ioctl: -ENOTTY, seek: -ESPIPE). Results are bytes or -errno. */
struct file_kind {
        const char *name;
        long (*read)(struct file *file, uintptr_t to, size_t size);
        long (*write)(struct file *file, uintptr_t from, size_t size);
        long (*ioctl)(struct file *file, unsigned long request, uintptr_t argument);
        void (*close)(struct file *file); /* the last descriptor has gone */
};

struct file {
        const struct file_kind *kind;
        unsigned users; /* descriptors that name it */
        unsigned flags; /* O_ */
        uint64_t position;
        struct node *node; /* NULL for pipes */
        void *data;        /* the kind's own */
};

#define FILES 64 /* descriptors of a process */

/* Shared by threads (CLONE_FILES), copied by fork. */
struct files {
        unsigned users;
        uint64_t close_on_exec; /* a bit per descriptor */
        struct file *of[FILES];
};

struct files *files_create(void); /* 0, 1 and 2 are the console. NULL = out of memory */
struct files *files_copy(const struct files *from);
void files_release(struct files *files);
void files_exec(struct files *files); /* closes what is marked close-on-exec */

#endif
