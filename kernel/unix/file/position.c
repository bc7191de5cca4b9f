/* position.c - reads and writes at a given offset: pread64(), pwrite64(), sendfile(). The open
 * file's own position does not change. */
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/vector.h"
#include "node/node.h"
#include "mem/frame.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/limit.h"

/* The same open file at another offset. It uses the same objects, which are held meanwhile. */
static struct file copy_at(const struct file *file, int64_t position)
{
        struct file there = *file;
        there.placed = true;
        there.position = (uint64_t)position;
        return there;
}

static long transfer_at(long fd, long at, long size, int64_t position, bool writes, bool vectors)
{
        struct file *file = file_of(fd);
        if (position < 0)
                return -EINVAL;
        if (!file)
                return -EBADF;
        if (!file->kind->seek || (writes && file->kind->in_sequence))
                return -ESPIPE;
        struct file there = copy_at(file, position);
        file_hold(file);
        long done = vectors ? vectors_transfer(&there, at, size, writes)
                            : file_transfer(&there, (uintptr_t)at, (size_t)size,
                                            writes ? file->write : file->read);
        file_release(file);
        return done;
}

#define TRANSFER_AT(name, writes, vectors)                                                         \
        long sys_##name(long fd, long at, long size, long low, long high, AFTER_5)                 \
        {                                                                                          \
                return transfer_at(fd, at, size, call_wide(low, high), writes, vectors);           \
        }
TRANSFER_AT(pread64, false, false)
TRANSFER_AT(pwrite64, true, false)
TRANSFER_AT(preadv, false, true)
TRANSFER_AT(pwritev, true, true)

/* Pieces of a file in memory between two turns: each may wake many, even one of eight bytes. */
#define PARTS 4

/* Passes bytes in kernel memory to a read and a write: the address limit is lifted. Bytes that the
 * writer did not take count as not read. Passes at most `size` bytes; 0 at the end, or -errno. */
typedef long pass_part(struct file *out, struct file *in, size_t size, void *page);

/* Directly from the file's memory. A file may be cut while the writer waits: the frame is held. */
static long pass_lying(struct file *out, struct file *in, size_t size, void *page)
{
        size_t run;
        uintptr_t frame;
        const void *from = in->node->kind->look(in->node, in->position, &run, &frame);
        if (!from)
                return 0;
        if (frame)
                frame_share(frame);
        long done = out->write(out, (uintptr_t)from, run < size ? run : size);
        if (frame)
                frame_free(frame);
        in->position += done > 0 ? (uint64_t)done : 0;
        return done;
}

/* Passes the bytes through a kernel page. */
static long pass_page(struct file *out, struct file *in, size_t size, void *page)
{
        uint64_t position = in->position;
        long part = in->read(in, (uintptr_t)page, size < PAGE_SIZE ? size : PAGE_SIZE);
        if (part <= 0)
                return part;
        long done = out->write(out, (uintptr_t)page, (size_t)part);
        in->position = position + (done > 0 ? (uint64_t)done : 0);
        return done;
}

static long pass_parts(struct file *out, struct file *in, size_t size, pass_part *act, void *page)
{
        uintptr_t limit = limit_get();
        size_t left = size;
        unsigned parts = 0;
        long part;
        limit_set(LIMIT_NONE);
        while ((part = act(out, in, left, page)) > 0) {
                left -= (size_t)part;
                if (!left)
                        break;
                if (!page && --parts % PARTS)
                        continue;
                interrupt_window();
                if (cpu_work & (WORK_RESCHEDULE | WORK_EXIT) && !work_goes_on())
                        break;
        }
        limit_set(limit);
        return left < size ? (long)(size - left) : part;
}

static long position_pass(struct file *out, struct file *in, size_t size)
{
        if (!size)
                return 0;
        if (in->node->kind->look)
                return pass_parts(out, in, size, pass_lying, NULL);
        void *page = heap_allocate(PAGE_SIZE);
        long done = page ? pass_parts(out, in, size, pass_page, page) : -ENOMEM;
        heap_free(page);
        return done;
}

/* Linux's errors for two files, in its order. Only regular files and disks can be sent. */
static long may_send(const struct file *out, const struct file *in, bool placed)
{
        if (!in || in->read == file_refuses)
                return -EBADF;
        if (placed && !in->kind->seek)
                return -ESPIPE;
        if (!out || out->write == file_refuses)
                return -EBADF;
        bool sent = in->node && (node_is(in->node, S_IFREG) || node_is(in->node, S_IFBLK));
        return !sent || out->flags & O_APPEND ? -EINVAL : 0;
}

/* `width`: size of the position at `at`; `at` may be 0. */
static long position_send(long out_fd, long in_fd, uintptr_t at, size_t size, size_t width)
{
        struct file *out = file_of(out_fd), *in = file_of(in_fd);
        int64_t position = 0, most = width == 4 ? INT32_MAX : INT64_MAX;
        if (at && user_read(&position, at, width))
                return -EFAULT;
        if (width == 4)
                position = (int32_t)position;
        long error = may_send(out, in, at);
        if (error)
                return error;
        if (position < 0)
                return -EINVAL;
        if (!at)
                position = (int64_t)in->position;
        if (size > TRANSFER_MOST)
                size = TRANSFER_MOST;
        if (position >= most)
                return -EOVERFLOW;
        if ((int64_t)size > most - position)
                size = (size_t)(most - position);
        struct file there = copy_at(in, position);
        file_hold(in);
        file_hold(out);
        long done = position_pass(out, &there, size);
        if (!at)
                in->position = there.position;
        file_release(out);
        file_release(in);
        return at && user_write(at, &there.position, width) ? -EFAULT : done;
}

long sys_sendfile(long out_fd, long in_fd, long at, long size, AFTER_4)
{
        return position_send(out_fd, in_fd, (uintptr_t)at, (size_t)size, program_word());
}

/* 32-bit programs */
long sys_sendfile64(long out_fd, long in_fd, long at, long size, AFTER_4)
{
        return position_send(out_fd, in_fd, (uintptr_t)at, (size_t)size, sizeof(int64_t));
}
