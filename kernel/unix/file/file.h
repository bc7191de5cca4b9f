/* file.h - open files and their kinds: each kind has a source file and fills a struct file_kind. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "file/lock.h"
#include "process/resource.h"
#include "thread/schedule.h"
#include "uapi.h"

struct node; /* node/node.h: a file in the tree */
struct file;
struct poll; /* file/poll.h */

/* Buffers are in the program: copy with user_read() and user_write(). A missing function means
 * -EINVAL (ioctl: -ENOTTY, seek: -ESPIPE; poll: always ready). Results are bytes or -errno. A
 * function that sleeps holds the file, because another thread may close it. */
struct file_kind {
        const char *name;
        uint32_t mode; /* st_mode of a file without a node */
        long (*read)(struct file *file, uintptr_t to, size_t size);
        long (*write)(struct file *file, uintptr_t from, size_t size);
        long (*ioctl)(struct file *file, unsigned long request, uintptr_t argument);
        int64_t (*seek)(struct file *file, int64_t offset, int whence); /* the new position */
        unsigned (*poll)(struct file *file, struct poll *poll);         /* events now: POLL bits */
        long (*waiting)(const struct file *file); /* FIONREAD, if there is no ioctl() */
        void (*close)(struct file *file);         /* the last descriptor was closed */
        int no_request;                           /* error of ioctl(), 0 = -ENOTTY */
        bool in_sequence;                         /* pwrite() fails */
};

typedef long transfer(struct file *file, uintptr_t at, size_t size);

struct file {
        const struct file_kind *kind;
        transfer *read, *write; /* the kind's functions, or replacements: never NULL */
        unsigned users;         /* descriptors that name it */
        unsigned flags;         /* O_ */
        uint32_t number; /* st_ino of a file without a node; the same for both ends of a pipe. For a
                          * log see log.c */
        bool placed;     /* a copy, with a position of its own */
        uint64_t position;
        struct node *node; /* NULL for pipes */
        void *data;        /* private to the kind */
        union {            /* work to be done when it is closed */
                struct {
                        struct lock_owner owner;
                        bool watched; /* watched by an epoll */
                };
                uint32_t kept;
        };
};

/* Calls `act`, a read or write, with all checks: the program's bounds and the largest possible
 * result. The caller holds the file. */
#define TRANSFER_MOST 0x7ffff000 /* Linux's MAX_RW_COUNT */
long file_transfer(struct file *file, uintptr_t at, size_t size, transfer *act);

#define FILES_NEAR 64
#define FILES_ROWS (FILES / FILES_NEAR)

/* 64 descriptors, starting at 64 n. */
struct files_row {
        uint64_t close_on_exec; /* one bit each */
        struct file *of[FILES_NEAR];
};

/* Shared by threads (CLONE_FILES), copied by fork. The first row is inline. The others are
 * allocated at their first open; before that they are files_no_row, empty and never written. */
struct files {
        unsigned users;
        struct lock_owner owner;
        const struct wanted *waits; /* the first request for a lock that waits: file/lock.c */
        struct files_row near;
        struct files_row *far[FILES_ROWS - 1];
};
extern struct files_row files_no_row;

struct files *files_create(struct node *console); /* console: 0, 1 and 2. NULL = out of memory */
struct files *files_copy(struct files *from);
void files_release(struct files *files); /* by the last user: other threads run */
void files_exec(struct files *files);    /* closes all that are marked close-on-exec */

/* read() for kinds whose nodes are read into kernel memory (node/node.h): through one page. The
 * node's read may sleep. */
transfer file_read_node;
/* A transfer in which others run has the open file for itself, because the position is shared: from
 * begin to end, or in a turn in its midst (as work_goes_on). */
void file_begin(struct file *file), file_end(struct file *file);
bool file_goes_on(struct file *file);
/* Waits while another has it. True = it has waited: it may be closed now. */
bool file_waits(struct file *file);
/* The bytes that a read of a file in memory would give, *run of them; NULL at the end, and in a
 * hole. They may be freed when other threads run. */
const void *file_look(const struct file *file, size_t *run);
/* Seek in a file that ends at `end`. */
int64_t file_seek(struct file *file, int64_t offset, int whence, uint64_t end);
/* Seek in a node's file, in one whose end is not known, and in one that is always at 0. */
int64_t file_seek_node(struct file *file, int64_t offset, int whence);
int64_t file_seek_endless(struct file *file, int64_t offset, int whence);
int64_t file_seek_nowhere(struct file *file, int64_t offset, int whence);

/* A file of `kind` with one user. Holds `node`, if not NULL. NULL = out of memory. */
struct file *file_create(const struct file_kind *kind, struct node *node, unsigned flags);
/* Gives the file another kind, with the same access. */
void file_become(struct file *file, const struct file_kind *kind);
/* The result of a write that nobody will read: SIGPIPE, and -EPIPE. */
long file_broken(void);
uint32_t file_type(const struct file *file); /* S_IFMT of its st_mode */
/* Read or write of a file that was not opened for it: -EBADF. */
transfer file_refuses;
long file_failure(transfer *act, long otherwise); /* its error, whatever the buffer is */
void file_close(struct file *file);               /* called by file_release: it has no users left */
static inline void file_hold(struct file *file)
{
        file->users++;
}
static inline bool file_leave(struct file *file) /* removes a user. Whether it was the last one */
{
        return !--file->users;
}
static inline void file_release(struct file *file) /* removes a user; the last one closes it */
{
        if (file_leave(file))
                file_close(file);
}
/* Sleeps in a call on the file, which stays open meanwhile. False = a signal is pending. */
static inline bool file_wait(struct file *file, struct waiters *waiters)
{
        file_hold(file);
        if (!wait_on(waiters)) {
                file_release(file);
                return false;
        }
        file_release(file);
        return true;
}

/* The current process's file with this descriptor, or NULL. */
struct file *file_of(long descriptor);
/* A table's file with a descriptor below FILES, or NULL. */
struct file *files_at(struct files *files, unsigned descriptor);
/* Assigns `file` to the lowest free descriptor from `least` on; takes over the caller's use. Also
 * -EMFILE, -EINVAL; then the use stays the caller's. */
int descriptor_add(struct file *file, unsigned least, bool close_on_exec);
/* The descriptor that it would get, or -errno; then there is room for it. */
int descriptor_free(unsigned least);
/* descriptor_give() with this one, if it is still free. */
long descriptor_give_at(struct file *file, unsigned descriptor, bool close_on_exec);
/* The same from 0 on; on failure the file is closed. */
static inline long descriptor_give(struct file *file, bool close_on_exec)
{
        int descriptor = descriptor_add(file, 0, close_on_exec);
        if (descriptor < 0)
                file_release(file);
        return descriptor;
}

/* Assigns two files to two descriptors, and writes those to the program's memory. 0, -EMFILE,
 * -EFAULT: then both are closed. */
long descriptors_give(struct file *files[2], uintptr_t to, bool close_on_exec);

extern const struct file_kind directory_kind, null_kind, full_kind, zero_kind, random_kind,
        console_kind, screen_kind, framebuffer_kind, kmsg_kind, records_kind, pipe_read_kind,
        pipe_write_kind, pipe_both_kind;
int log_open(struct file *file);         /* kmsg, records: their length is fixed at open */
int screen_open(struct file *file);      /* -ENXIO: there is no screen output */
int framebuffer_open(struct file *file); /* -ENODEV: the screen has no pixels */
