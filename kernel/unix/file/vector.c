/* vector.c - reads and writes of several buffers: readv(), writev(), and messages. */
#include "file/vector.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "mem/heap.h"
#include "process/limit.h"
#include "thread/user.h"
#include "calls.h"

#define KEPT 8 /* vectors that are read once */

struct vectors {
        uintptr_t there;
        size_t count;
        struct {
                uintptr_t at, size;
        } kept[KEPT];
};

/* Element `index` of the program's struct iovec array. */
static int read_vector(uintptr_t vectors, size_t index, uintptr_t *at, uintptr_t *size)
{
        uintptr_t pair[2] = {0, 0};
        int error = user_get_words(pair, user_element(vectors, index, 2 * program_word()), 2);
        *at = pair[0];
        *size = call_narrow() ? (uintptr_t)(int32_t)pair[1] : pair[1];
        return error;
}

/* Checks all lengths first, then all addresses, so that a bad one has no effect. Returns the sum,
 * or TRANSFER_MOST if that is less. */
static inline long take_vectors(struct vectors *v, uintptr_t vectors, size_t count)
{
        v->there = vectors;
        v->count = count;
        bool outside = false;
        size_t sum = 0;
        for (size_t i = 0; i < v->count; i++) {
                uintptr_t at, size;
                interrupt_window();
                int error = read_vector(v->there, i, &at, &size);
                if (error)
                        return error;
                if ((long)size < 0)
                        return -EINVAL;
                outside |= !user_inside(at, size);
                sum = size < TRANSFER_MOST - sum ? sum + size : TRANSFER_MOST;
                if (i < KEPT) {
                        v->kept[i].at = at;
                        v->kept[i].size = size;
                }
        }
        return outside ? -EFAULT : (long)sum;
}

/* Another thread may change the vectors meanwhile: those that were not kept are checked again. */
static inline long each_vector(const struct vectors *v, struct file *file, vector_act *act,
                               void *context)
{
        long done = 0;
        for (size_t i = 0; i < v->count; i++) {
                uintptr_t at = v->kept[i % KEPT].at, size = v->kept[i % KEPT].size;
                if (i && !(file ? file_goes_on(file) : work_goes_on()))
                        break;
                long part = i < KEPT ? 0 : read_vector(v->there, i, &at, &size);
                size_t room = (size_t)(TRANSFER_MOST - done);
                if (!part && i >= KEPT && !user_inside(at, size))
                        part = -EFAULT;
                if (!part && size)
                        part = act(context, at, size < room ? size : room, (size_t)done);
                if (part < 0)
                        return done ? done : part;
                done += part;
                if ((size_t)part < size)
                        break;
        }
        return done;
}

long vectors_each(uintptr_t vectors, size_t count, struct file *file, vector_act *act,
                  void *context)
{
        struct vectors v;
        long sum = take_vectors(&v, vectors, count);
        return sum < 0 ? sum : each_vector(&v, file, act, context);
}

/* Whether there is more to read, so that a thread that has read something need not wait. */
static bool has_more(struct file *file)
{
        unsigned so = file->kind->poll ? file->kind->poll(file, NULL) : POLL_READABLE;
        return so & POLL_READABLE && !(so & POLLERR);
}

static long read_part(void *context, uintptr_t at, size_t size, size_t done)
{
        struct file *file = context;
        return done && !has_more(file) ? 0 : file->read(file, at, size);
}

static long write_part(void *context, uintptr_t at, size_t size, size_t done)
{
        struct file *file = context;
        return file->write(file, at, size);
}

struct gathered {
        uint8_t *bytes;
        size_t room;
};

static long gather_part(void *context, uintptr_t at, size_t size, size_t done)
{
        const struct gathered *to = context;
        size = size < to->room - done ? size : to->room - done;
        return user_read(to->bytes + done, at, size) ? -EFAULT : (long)size;
}

/* Few bytes are written at once, so that no other's come between them (pipe(7), "PIPE_BUF"). */
static long write_vectors(struct file *file, uintptr_t vectors, size_t count)
{
        struct vectors v;
        long sum = take_vectors(&v, vectors, count);
        struct gathered all = {NULL, (size_t)sum};
        if (count < 2 || sum <= 0 || sum > PAGE_SIZE)
                return sum <= 0 ? sum : each_vector(&v, file, write_part, file);
        if (!(all.bytes = heap_take(all.room)))
                return -ENOMEM;
        long done = each_vector(&v, NULL, gather_part, &all);
        uintptr_t limit = limit_get();
        limit_set(LIMIT_NONE);
        if (done > 0)
                done = file->write(file, (uintptr_t)all.bytes, (size_t)done);
        limit_set(limit);
        heap_free(all.bytes);
        return done;
}

long vectors_transfer(struct file *file, long vectors, long count, bool writes)
{
        long done = file_failure(writes ? file->write : file->read, 0);
        if (done)
                return done;
        if ((unsigned long)count > VECTORS_MOST)
                return -EINVAL;
        file_hold(file);
        done = writes ? write_vectors(file, (uintptr_t)vectors, (size_t)count)
                      : vectors_each((uintptr_t)vectors, (size_t)count, file, read_part, file);
        file_release(file);
        return done;
}

long sys_readv(long fd, long vectors, long count, AFTER_3)
{
        struct file *file = file_of(fd);
        return file ? vectors_transfer(file, vectors, count, false) : -EBADF;
}

long sys_writev(long fd, long vectors, long count, AFTER_3)
{
        struct file *file = file_of(fd);
        return file ? vectors_transfer(file, vectors, count, true) : -EBADF;
}
