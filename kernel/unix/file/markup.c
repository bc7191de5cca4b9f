/* markup.c - reads a page and strips its markup in kernel code. */
#include "file/markup.h"
#include "errno.h"
#include "file/file.h"
#include "file/ladder.h"
#include "lib/html.h"
#include "thread/user.h"
#include "calls.h"
#include "process/limit.h"

static char page[MARKUP_ROOM], text[MARKUP_ROOM];

/* Reads once more from the start, untimed, for the result. */
static long read_again(struct file *file, size_t size)
{
        uint64_t position = file->position;
        file->position = 0;
        long done = file->kind->read(file, (uintptr_t)page, size);
        file->position = position;
        return done;
}

static int time_reads(const struct markup *ask, struct file *file)
{
        file->position = 0;
        for (long i = 0; i < ask->count; i++) {
                uint32_t ticks =
                        LADDER_TIME(file->kind->read(file, (uintptr_t)page, (size_t)ask->size));
                if (ask->rewinds)
                        file->position = 0;
                if (user_put(user_element((uintptr_t)ask->reads, (size_t)i, sizeof ticks), &ticks))
                        return -EFAULT;
        }
        return 0;
}

static long time_parses(const struct markup *ask, size_t size)
{
        size_t length = 0;
        for (long i = 0; i < ask->count; i++) {
                uint32_t ticks = LADDER_TIME(length = html_text(text, sizeof text, page, size));
                if (user_put(user_element((uintptr_t)ask->parses, (size_t)i, sizeof ticks), &ticks))
                        return -EFAULT;
        }
        return user_write((uintptr_t)ask->text, text, length) ? -EFAULT : (long)length;
}

long markup_read(const struct markup *ask)
{
        struct file *file = file_of(ask->fd);
        if (!file || file->read == file_refuses)
                return -EBADF;
        if ((unsigned long)ask->size > MARKUP_ROOM || !file->kind->read || !file->kind->seek)
                return -EINVAL;
        uintptr_t limit = limit_get();
        limit_set(LIMIT_NONE);
        file_hold(file);
        long done = time_reads(ask, file);
        if (!done)
                done = read_again(file, (size_t)ask->size);
        if (done >= 0)
                done = time_parses(ask, (size_t)done);
        file_release(file);
        limit_set(limit);
        return done;
}
