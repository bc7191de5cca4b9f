/* directory.c - open directories: their entries, as getdents64() gives them. */
#include "file/directory.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/node.h"
#include "lib/string.h"
#include "mem/space.h"

/* struct linux_dirent64: the same for programs of 32 and 64 bits. */
struct entry {
        uint64_t number;
        int64_t place; /* where the next reading goes on */
        uint16_t size;
        uint8_t type; /* the type's bits of st_mode */
        char name[NAME_MAX + 1];
} __attribute__((packed));

/* The first entry behind `place`, or NULL at the end. */
static const struct node *next(const struct node *directory, uint64_t place, const char **name,
                               uint64_t *found_at)
{
        if (place < 2) {
                *name = place ? ".." : ".";
                *found_at = place + 1;
                return place ? directory->parent : directory;
        }
        for (const struct node *node = directory->first; node; node = node->next) {
                interrupt_window();
                if (node->place > place) {
                        *name = node->name;
                        *found_at = node->place;
                        return node;
                }
        }
        return NULL;
}

long directory_read(struct file *file, uintptr_t to, size_t size)
{
        const struct node *node;
        const char *name;
        uint64_t found_at;
        size_t done = 0;
        while ((node = next(file->node, file->position, &name, &found_at))) {
                size_t length = strlen(name), head = offsetof(struct entry, name);
                struct entry entry = {
                        .number = node->number,
                        .place = (int64_t)found_at,
                        .size = (uint16_t)((head + length + 1 + 7) & ~(size_t)7),
                        .type = (uint8_t)(node->mode >> 12),
                };
                memcpy(entry.name, name, length);
                if (entry.size > size - done)
                        return done ? (long)done : -EINVAL;
                if (user_write(to + done, &entry, entry.size))
                        return done ? (long)done : -EFAULT;
                done += entry.size;
                file->position = found_at;
        }
        return (long)done;
}

static long read(struct file *file, uintptr_t to, size_t size)
{
        (void)file, (void)to, (void)size;
        return -EISDIR;
}

static int64_t seek(struct file *file, int64_t offset, int whence)
{
        if (whence == 1)
                offset += (int64_t)file->position;
        if (whence < 0 || whence > 1 || offset < 0)
                return -EINVAL;
        file->position = (uint64_t)offset;
        return offset;
}

const struct file_kind directory_kind = {"directory", .read = read, .seek = seek};
