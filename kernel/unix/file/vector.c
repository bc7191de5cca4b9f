/* vector.c - reads and writes of several buffers: readv(), writev(), and messages. */
#include "file/vector.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "thread/user.h"
#include "calls.h"

/* Element `index` of the program's struct iovec array. */
static int read_vector(uintptr_t vectors, size_t index, uintptr_t *at, uintptr_t *size)
{
        uintptr_t pair[2] = {0, 0};
        int error = user_get_words(pair, user_element(vectors, index, 2 * program_word()), 2);
        *at = pair[0];
        *size = call_narrow() ? (uintptr_t)(int32_t)pair[1] : pair[1];
        return error;
}

/* Checks all lengths first, then all addresses, so that a bad one has no effect. */
static long check_vectors(uintptr_t vectors, size_t count)
{
        bool outside = false;
        for (size_t i = 0; i < count; i++) {
                uintptr_t at, size;
                interrupt_window();
                int error = read_vector(vectors, i, &at, &size);
                if (error)
                        return error;
                if ((long)size < 0)
                        return -EINVAL;
                outside |= !user_inside(at, size);
        }
        return outside ? -EFAULT : 0;
}

/* Another thread may change the vectors meanwhile: they are checked again. */
long vectors_each(uintptr_t vectors, size_t count, vector_act *act, void *context)
{
        long done = check_vectors(vectors, count);
        for (size_t i = 0; i < count && done >= 0; i++) {
                uintptr_t at, size;
                if (i && !work_goes_on())
                        break;
                long part = read_vector(vectors, i, &at, &size);
                size_t room = (size_t)(TRANSFER_MOST - done);
                if (!part && !user_inside(at, size))
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

long vectors_transfer(struct file *file, long vectors, long count, bool writes)
{
        vector_act *act = writes ? write_part : read_part;
        long done = file_failure(writes ? file->write : file->read, 0);
        if (done)
                return done;
        if ((unsigned long)count > VECTORS_MOST)
                return -EINVAL;
        file_hold(file);
        done = vectors_each((uintptr_t)vectors, (size_t)count, act, file);
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
