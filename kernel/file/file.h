/*
 * file.h - open files, and the kinds of them: each kind is a source of its own and fills a struct
 * file_kind.
 */
#ifndef TOLLGATE_FILE_FILE_H
#define TOLLGATE_FILE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "proc/schedule.h"
#include "uapi.h"

struct node; /* file/node.h: what lies in the tree */
struct file;

/* Buffers are the program's: copy with user_read() and user_write(). A missing function is -EINVAL
 * (ioctl: -ENOTTY, seek: -ESPIPE). Results are bytes or -errno. A function that sleeps holds the
 * file meanwhile: another thread may close it. */
struct file_kind {
        const char *name;
        long (*read)(struct file *file, uintptr_t to, size_t size);
        long (*write)(struct file *file, uintptr_t from, size_t size);
        long (*ioctl)(struct file *file, unsigned long request, uintptr_t argument);
        int64_t (*seek)(struct file *file, int64_t offset, int whence); /* the new position */
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

struct files *files_create(struct node *console); /* 0, 1 and 2 are it. NULL = out of memory */
struct files *files_copy(const struct files *from);
void files_release(struct files *files);
void files_exec(struct files *files); /* closes what is marked close-on-exec */

/* A file of `kind` with one user. It holds `node`, if there is one. NULL = out of memory. */
struct file *file_create(const struct file_kind *kind, struct node *node, unsigned flags);
void file_close(struct file *file); /* file_release: it has no user left */
static inline void file_hold(struct file *file)
{
        file->users++;
}
static inline void file_release(struct file *file) /* one user less; the last one closes it */
{
        if (!--file->users)
                file_close(file);
}

/* The current process's file of that descriptor, or NULL. */
struct file *file_of(long descriptor);
/* Gives `file` to the lowest free descriptor from `least` on, with its use. Also -EMFILE, -EINVAL;
 * then the use stays the caller's. */
int descriptor_add(struct file *file, unsigned least, bool close_on_exec);

extern const struct file_kind directory_kind, null_kind, zero_kind, console_kind, pipe_read_kind,
        pipe_write_kind;

#endif
