/* directory.c - open directories: getdents64(). */
#include "file/directory.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "node/node.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "thread/user.h"

/* struct linux_dirent64: the same for programs of 32 and 64 bits. */
struct entry {
        uint64_t number;
        int64_t place; /* where the next read continues */
        uint16_t size;
        uint8_t type; /* the type's bits of st_mode */
        char name[NAME_MAX + 1];
} __attribute__((packed));

/* The first entry behind `place`; -ENOENT at the end. */
static int next_of(struct node *directory, uint64_t place, struct listed *next)
{
        if (place >= 2)
                return directory->kind->list(directory, place, next);
        const struct node *node = place ? directory->parent : directory;
        *next = (struct listed){.place = place + 1, .number = node->number, .mode = S_IFDIR};
        memcpy(next->name, "..", place + 1);
        return 0;
}

static long read_entries(struct file *file, struct listed *next, uintptr_t to, size_t size)
{
        size_t done = 0;
        int error;
        while (!(error = next_of(file->node, file->position, next))) {
                size_t length = strlen(next->name), head = offsetof(struct entry, name);
                struct entry entry = {
                        .number = next->number,
                        .place = (int64_t)next->place,
                        .size = (uint16_t)((head + length + 1 + 7) & ~(size_t)7),
                        .type = (uint8_t)(next->mode >> 12),
                };
                memcpy(entry.name, next->name, length);
                if (entry.size > size - done)
                        return done ? (long)done : -EINVAL;
                if (user_write(to + done, &entry, entry.size))
                        return done ? (long)done : -EFAULT;
                done += entry.size;
                file->position = next->place;
                if (!file_goes_on(file))
                        return (long)done;
        }
        return done || error == -ENOENT ? (long)done : error;
}

long directory_read(struct file *file, uintptr_t to, size_t size)
{
        if (file->node->gone)
                return -ENOENT; /* like Linux's IS_DEADDIR: not even `.` is in it */
        struct listed *next = heap_allocate(sizeof *next);
        if (!next)
                return -ENOMEM;
        file_hold(file);
        long result = read_entries(file, next, to, size);
        file_release(file);
        heap_free(next);
        return result;
}

static long directory_no_read(struct file *file, uintptr_t to, size_t size)
{
        return -EISDIR;
}

const struct file_kind directory_kind = {"directory", .read = directory_no_read,
                                         .seek = file_seek_node};
