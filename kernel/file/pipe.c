/*
 * pipe.c - pipes: a ring of one page. A write of up to a page goes in whole or waits (POSIX,
 * "write": PIPE_BUF).
 */
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "mem/user.h"
#include "proc/calls.h"

#define PIPES_MOST 1024 /* 4 MiB of rings; two processes may have them all */

struct pipe {
        uint8_t *ring;
        uint32_t in, out;        /* bytes that ever went in and out */
        bool readable, writable; /* somebody has that end open */
        struct waiters readers, writers;
};

static unsigned pipes;
static uint32_t last_number; /* of a pipe, as fstat() tells it */

static size_t least(size_t a, size_t b)
{
        return a < b ? a : b;
}

/* `part` bytes at the ring's `at`, and the rest at its start. */
static long copy_out(const struct pipe *pipe, uintptr_t to, size_t at, size_t count)
{
        size_t part = least(count, PAGE_SIZE - at);
        return user_write_within(to, pipe->ring + at, part) ||
                               (count > part &&
                                user_write_within(to + part, pipe->ring, count - part))
                       ? -EFAULT
                       : 0;
}

static long copy_in(struct pipe *pipe, size_t at, uintptr_t from, size_t count)
{
        size_t part = least(count, PAGE_SIZE - at);
        return user_read_within(pipe->ring + at, from, part) ||
                               (count > part &&
                                user_read_within(pipe->ring, from + part, count - part))
                       ? -EFAULT
                       : 0;
}

static long read(struct file *file, uintptr_t to, size_t size)
{
        struct pipe *pipe = file->data;
        if (!size)
                return 0;
        while (pipe->in == pipe->out) {
                if (!pipe->writable)
                        return 0;
                if (file->flags & O_NONBLOCK)
                        return -EAGAIN;
                if (!file_wait(file, &pipe->readers))
                        return call_interrupted(ERESTARTSYS);
        }
        size_t at = pipe->out % PAGE_SIZE, count = least(size, pipe->in - pipe->out);
        if (at + count <= PAGE_SIZE ? user_write_within(to, pipe->ring + at, count)
                                    : copy_out(pipe, to, at, count))
                return -EFAULT;
        pipe->out += (uint32_t)count;
        wake_all(&pipe->writers);
        return (long)count;
}

static __attribute__((noinline)) long write_in_parts(struct file *file, uintptr_t from, size_t size)
{
        struct pipe *pipe = file->data;
        for (size_t done = 0; done < size;) {
                size_t left = size - done, room = PAGE_SIZE - (pipe->in - pipe->out);
                if (!pipe->readable)
                        return done ? (long)done : file_broken();
                if (room < (size <= PAGE_SIZE ? left : 1)) {
                        if (file->flags & O_NONBLOCK)
                                return done ? (long)done : -EAGAIN;
                        if (!file_wait(file, &pipe->writers))
                                return done ? (long)done : call_interrupted(ERESTARTSYS);
                        continue;
                }
                size_t at = pipe->in % PAGE_SIZE, count = least(left, room);
                if (copy_in(pipe, at, from + done, count))
                        return done ? (long)done : -EFAULT;
                pipe->in += (uint32_t)count;
                done += count;
                wake_all(&pipe->readers);
        }
        return (long)size;
}

/* Most go in at once, and not over the ring's end. */
static long write(struct file *file, uintptr_t from, size_t size)
{
        struct pipe *pipe = file->data;
        size_t at = pipe->in % PAGE_SIZE;
        if (size > PAGE_SIZE - (pipe->in - pipe->out) || at + size > PAGE_SIZE || !pipe->readable)
                return write_in_parts(file, from, size);
        if (user_read_within(pipe->ring + at, from, size))
                return -EFAULT;
        pipe->in += (uint32_t)size;
        wake_all(&pipe->readers);
        return (long)size;
}

static unsigned poll_read(struct file *file, struct poll *poll)
{
        struct pipe *pipe = file->data;
        poll_on(poll, &pipe->readers);
        return (pipe->in != pipe->out ? POLL_READABLE : 0) | (pipe->writable ? 0 : POLLHUP);
}

/* There is room for what goes in whole: a page. */
static unsigned poll_write(struct file *file, struct poll *poll)
{
        struct pipe *pipe = file->data;
        poll_on(poll, &pipe->writers);
        return (pipe->in == pipe->out ? POLL_WRITABLE : 0) | (pipe->readable ? 0 : POLLERR);
}

static void release(struct pipe *pipe)
{
        if (pipe->readable || pipe->writable)
                return;
        heap_free(pipe->ring);
        heap_free(pipe);
        pipes--;
}

static void close_read(struct file *file)
{
        struct pipe *pipe = file->data;
        pipe->readable = false;
        wake_all(&pipe->writers);
        release(pipe);
}

static void close_write(struct file *file)
{
        struct pipe *pipe = file->data;
        pipe->writable = false;
        wake_all(&pipe->readers);
        release(pipe);
}

const struct file_kind pipe_read_kind = {"pipe", .mode = S_IFIFO | 0600, .read = read,
                                         .poll = poll_read, .close = close_read};
const struct file_kind pipe_write_kind = {"pipe", .mode = S_IFIFO | 0600, .write = write,
                                          .poll = poll_write, .close = close_write};

/* Both ends of a new pipe; false = out of memory. */
static bool create(struct file *ends[2], unsigned flags)
{
        struct pipe *pipe = heap_allocate(sizeof *pipe);
        uint8_t *ring = heap_allocate(PAGE_SIZE);
        ends[0] = pipe && ring ? file_create(&pipe_read_kind, NULL, O_RDONLY | flags) : NULL;
        ends[1] = ends[0] ? file_create(&pipe_write_kind, NULL, O_WRONLY | flags) : NULL;
        if (!ends[1]) {
                heap_free(ends[0]);
                heap_free(ring);
                heap_free(pipe);
                return false;
        }
        ends[0]->number = ends[1]->number = ++last_number;
        *pipe = (struct pipe){.ring = ring, .readable = true, .writable = true};
        pipes++;
        ends[0]->data = ends[1]->data = pipe;
        return true;
}

long sys_pipe2(long to, long flags, AFTER_2)
{
        struct file *ends[2];
        if ((unsigned)flags & ~(unsigned)(O_CLOEXEC | O_NONBLOCK))
                return -EINVAL;
        if (pipes == PIPES_MOST)
                return -ENFILE;
        if (!create(ends, (unsigned)flags & O_NONBLOCK))
                return -ENOMEM;
        return descriptors_give(ends, (uintptr_t)to, (unsigned)flags & O_CLOEXEC);
}

long sys_pipe(long to, AFTER_1)
{
        return sys_pipe2(to, 0, 0, 0, 0, 0);
}
