/* pipe.c - pipes: a ring of one page. A write of up to a page is atomic, and waits for room (POSIX,
 * "write": PIPE_BUF). A named pipe (mknod(), S_IFIFO) has a ring only while it is open. */
#include "errno.h"
#include "file/file.h"
#include "file/pipe.h"
#include "file/poll.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/missing.h"

#define PIPES_MOST 1024 /* 4 MiB of rings; two processes may have them all */

struct pipe {
        uint8_t *ring;
        uint32_t in, out;         /* total bytes written and read */
        bool readable, writable;  /* that end is open somewhere */
        uint32_t opened[2];       /* how often each end was opened: reading, writing */
        const struct node *named; /* a FIFO's node, while it is open */
        struct waiters readers, writers, openers;
        unsigned has[2];   /* open files: to read, to write */
        unsigned held;     /* references by nodes that can reopen it */
        struct pipe *next; /* in the list of all FIFOs */
};

static unsigned pipes;
static uint32_t last_number; /* last inode number for a pipe's fstat() */

static size_t pipe_least(size_t a, size_t b)
{
        return a < b ? a : b;
}

/* Copies `part` bytes from `at` in the ring, and the rest from its start. */
static long copy_out(const struct pipe *pipe, uintptr_t to, size_t at, size_t count)
{
        size_t part = pipe_least(count, PAGE_SIZE - at);
        return user_write_within(to, pipe->ring + at, part) ||
                               (count > part &&
                                user_write_within(to + part, pipe->ring, count - part))
                       ? -EFAULT
                       : 0;
}

static long copy_in(struct pipe *pipe, size_t at, uintptr_t from, size_t count)
{
        size_t part = pipe_least(count, PAGE_SIZE - at);
        return user_read_within(pipe->ring + at, from, part) ||
                               (count > part &&
                                user_read_within(pipe->ring, from + part, count - part))
                       ? -EFAULT
                       : 0;
}

static long pipe_read(struct file *file, uintptr_t to, size_t size)
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
        size_t at = pipe->out % PAGE_SIZE, count = pipe_least(size, pipe->in - pipe->out);
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
                size_t at = pipe->in % PAGE_SIZE, count = pipe_least(left, room);
                if (copy_in(pipe, at, from + done, count))
                        return done ? (long)done : -EFAULT;
                pipe->in += (uint32_t)count;
                done += count;
                wake_all(&pipe->readers);
        }
        return (long)size;
}

/* Most writes fit at once, without wrapping around the ring. */
static long pipe_write(struct file *file, uintptr_t from, size_t size)
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
        bool waits = pipe->writable || file->position == pipe->opened[1] + 1ull;
        poll_on(poll, &pipe->readers);
        return (pipe->in != pipe->out ? POLL_READABLE : 0) | (waits ? 0 : POLLHUP);
}

/* Writable if a whole page fits, which is then written in one piece. */
static unsigned poll_write(struct file *file, struct poll *poll)
{
        struct pipe *pipe = file->data;
        poll_on(poll, &pipe->writers);
        return (pipe->in == pipe->out ? POLL_WRITABLE : 0) | (pipe->readable ? 0 : POLLERR);
}

static unsigned poll_both(struct file *file, struct poll *poll)
{
        return poll_read(file, poll) | poll_write(file, poll);
}

static long pipe_waiting(const struct file *file)
{
        const struct pipe *pipe = file->data;
        return pipe->in - pipe->out;
}

static struct pipe *fifos; /* open FIFOs */

static void pipe_release(struct pipe *pipe)
{
        if (pipe->readable || pipe->writable || pipe->held)
                return;
        if (pipe->named) {
                struct pipe **link = &fifos;
                while (*link != pipe)
                        link = &(*link)->next;
                *link = pipe->next;
        }
        heap_free(pipe->ring);
        heap_free(pipe);
        pipes--;
}

static void pipe_leave(struct pipe *pipe, bool reads, bool writes)
{
        pipe->readable = pipe->has[0] -= reads;
        pipe->writable = pipe->has[1] -= writes;
        if (reads)
                wake_all(&pipe->writers);
        if (writes)
                wake_all(&pipe->readers);
        pipe_release(pipe);
}

static void close_read(struct file *file)
{
        pipe_leave(file->data, true, false);
}

static void close_write(struct file *file)
{
        pipe_leave(file->data, false, true);
}

static void close_both(struct file *file)
{
        pipe_leave(file->data, true, true);
}

#define PIPE "pipe", .mode = S_IFIFO | 0600, .waiting = pipe_waiting
const struct file_kind pipe_read_kind = {PIPE, .read = pipe_read, .poll = poll_read,
                                         .close = close_read};
const struct file_kind pipe_write_kind = {PIPE, .write = pipe_write, .poll = poll_write,
                                          .close = close_write};
const struct file_kind pipe_both_kind = {PIPE, .read = pipe_read, .write = pipe_write,
                                         .poll = poll_both, .close = close_both};

/* A pipe with no end open. NULL = out of memory. */
static struct pipe *create_pipe(void)
{
        struct pipe *pipe = heap_allocate(sizeof *pipe);
        uint8_t *ring = heap_allocate(PAGE_SIZE);
        if (!pipe || !ring) {
                heap_free(ring);
                heap_free(pipe);
                return NULL;
        }
        pipe->ring = ring;
        pipes++;
        return pipe;
}

/* Creates both ends of a new pipe; false = out of memory. */
static bool pipe_create(struct file *ends[2], unsigned flags)
{
        struct pipe *pipe = create_pipe();
        ends[0] = pipe ? file_create(&pipe_read_kind, NULL, O_RDONLY | flags) : NULL;
        ends[1] = ends[0] ? file_create(&pipe_write_kind, NULL, O_WRONLY | flags) : NULL;
        if (!ends[1]) {
                heap_free(ends[0]);
                if (pipe)
                        pipe_release(pipe);
                return false;
        }
        ends[0]->number = ends[1]->number = ++last_number;
        pipe->readable = pipe->writable = true;
        pipe->has[0] = pipe->has[1] = 1;
        ends[0]->data = ends[1]->data = pipe;
        return true;
}

/* Waits until the other end is open, or was opened meanwhile. False = a signal came first. */
static bool wait_for_other(struct file *file, struct pipe *pipe, unsigned which)
{
        uint32_t seen = pipe->opened[which];
        while (!pipe->has[which] && pipe->opened[which] == seen)
                if (!file_wait(file, &pipe->openers))
                        return false;
        return true;
}

/* Adds an open file; with `waits` it waits for the other end, like a FIFO's first file. */
static int attach(struct file *file, struct pipe *pipe, bool waits)
{
        unsigned mode = file->flags & O_ACCMODE;
        bool reads = mode != O_WRONLY, writes = mode != O_RDONLY, met = true;
        if (mode == O_WRONLY && waits && file->flags & O_NONBLOCK && !pipe->readable) {
                pipe_release(pipe);
                return -ENXIO;
        }
        pipe->readable = pipe->has[0] += reads;
        pipe->writable = pipe->has[1] += writes;
        pipe->opened[0] += reads;
        pipe->opened[1] += writes;
        wake_all(&pipe->openers);
        if (waits && !(file->flags & O_NONBLOCK) && !(reads && writes))
                met = wait_for_other(file, pipe, reads);
        if (!met) {
                pipe_leave(pipe, reads, writes);
                return (int)call_interrupted(ERESTARTSYS);
        }
        file->data = pipe;
        if (waits && !pipe->writable) /* the other end was never open: no hang-up to report */
                file->position = pipe->opened[1] + 1ull;
        file_become(file, !writes ? &pipe_read_kind : !reads ? &pipe_write_kind : &pipe_both_kind);
        return 0;
}

int fifo_open(struct file *file)
{
        struct pipe *pipe = fifos;
        while (pipe && pipe->named != file->node)
                pipe = pipe->next;
        if (!pipe) {
                if (pipes == PIPES_MOST)
                        return -ENFILE;
                pipe = create_pipe();
                if (!pipe)
                        return -ENOMEM;
                pipe->named = file->node;
                pipe->next = fifos;
                fifos = pipe;
        }
        return attach(file, pipe, true);
}

/* The node behind a link of /proc/PID/fd, while it is in use. */
struct again {
        struct node node;
        struct pipe *pipe;
};

static int open_again(struct file *file)
{
        struct node *node = file->node;
        int error = attach(file, ((struct again *)node)->pipe, false);
        if (error)
                return error;
        file->number = node->number;
        file->node = NULL;
        node_release(node);
        return 0;
}

static void free_again(struct node *node)
{
        struct pipe *pipe = ((struct again *)node)->pipe;
        pipe->held--;
        pipe_release(pipe);
        heap_free(node);
}

static const struct node_kind again_node = {
        .file = &pipe_both_kind, .open = open_again, .refuses = -EPERM, .free = free_again};

struct node *pipe_node(const struct file *file)
{
        static char name[] = "pipe";
        bool is_pipe = file->kind == &pipe_read_kind || file->kind == &pipe_write_kind ||
                       file->kind == &pipe_both_kind;
        struct again *again = is_pipe ? heap_allocate(sizeof *again) : NULL;
        if (!again)
                return NULL;
        again->node = (struct node){.users = 1,
                                    .mode = S_IFIFO | 0600,
                                    .number = file->number,
                                    .gone = true,
                                    .kind = &again_node,
                                    .parent = node_hold(node_root),
                                    .name = name};
        again->pipe = file->data;
        again->pipe->held++;
        return &again->node;
}

long sys_pipe2(long to, long flags, AFTER_2)
{
        struct file *ends[2];
        unsigned others = (unsigned)flags & ~(unsigned)(O_CLOEXEC | O_NONBLOCK);
        if (others)
                return missing_flags(MISSING_open, others, -EINVAL);
        if (pipes == PIPES_MOST)
                return -ENFILE;
        if (!pipe_create(ends, (unsigned)flags & O_NONBLOCK))
                return -ENOMEM;
        return descriptors_give(ends, (uintptr_t)to, (unsigned)flags & O_CLOEXEC);
}

long sys_pipe(long to, AFTER_1)
{
        return sys_pipe2(to, 0, 0, 0, 0, 0);
}
