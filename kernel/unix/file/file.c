/* file.c - open files. */
#include "cpu/window.h"
#include "file/file.h"
#include "file/poll.h"
#include "errno.h"
#include "node/node.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "thread/thread.h"
#include "process/missing.h"
#include "process/signal.h"

long file_refuses(struct file *file, uintptr_t at, size_t size)
{
        return -EBADF;
}

long file_broken(void)
{
        struct signal_info info = {.signal = SIGPIPE, .code = SI_USER, .sender = cpu_current->pid};
        signal_send(cpu_current, &info);
        return -EPIPE;
}

static long cannot(struct file *file, uintptr_t at, size_t size)
{
        return -EINVAL;
}

long file_failure(transfer *act, long otherwise)
{
        return act == file_refuses ? -EBADF : act == cannot ? -EINVAL : otherwise;
}

void file_become(struct file *file, const struct file_kind *kind)
{
        unsigned mode = file->flags & O_ACCMODE;
        file->kind = kind;
        file->read = mode == O_WRONLY ? file_refuses : kind->read ? kind->read : cannot;
        file->write = mode == O_RDONLY ? file_refuses : kind->write ? kind->write : cannot;
}

struct file *file_create(const struct file_kind *kind, struct node *node, unsigned flags)
{
        struct file *file = heap_allocate(sizeof *file);
        if (!file)
                return NULL;
        if (node)
                node_hold(node)->writers += (flags & O_ACCMODE) != O_RDONLY;
        *file = (struct file){.users = 1, .flags = flags, .node = node};
        file_become(file, kind);
        return file;
}

uint32_t file_type(const struct file *file)
{
        return (file->node ? file->node->mode : file->kind->mode) & S_IFMT;
}

static __attribute__((cold, noinline)) void see_to(struct file *file)
{
        if (file->owner.locks)
                locks_forget(&file->owner, file);
        if (file->watched)
                epoll_forget(file);
}

void file_close(struct file *file)
{
        if (file->kept)
                see_to(file);
        if (file->kind->close)
                file->kind->close(file);
        if (file->node)
                file->node->writers -= (file->flags & O_ACCMODE) != O_RDONLY;
        node_release(file->node);
        heap_free(file);
}

static transfer read_later, write_later;
static struct waiters later;

bool file_waits(struct file *file)
{
        if ((file->read != read_later && file->write != write_later) || file->placed ||
            cpu_work & WORK_EXIT)
                return false;
        file_hold(file);
        if (!file_wait(file, &later))
                schedule(); /* a signal does not interrupt it */
        file_release(file);
        return true;
}

static long read_later(struct file *file, uintptr_t to, size_t size)
{
        while (file_waits(file))
                ;
        return file->kind->read(file, to, size);
}

static long write_later(struct file *file, uintptr_t from, size_t size)
{
        while (file_waits(file))
                ;
        return file->kind->write(file, from, size);
}

void file_begin(struct file *file)
{
        if (!file_failure(file->read, 0))
                file->read = read_later;
        if (!file_failure(file->write, 0))
                file->write = write_later;
}

/* A thread that waits has the next turn outside such a transfer. */
void file_end(struct file *file)
{
        file_become(file, file->kind);
        if (!later.first)
                return;
        wake_all(&later);
        work_add(WORK_RESCHEDULE);
}

bool file_goes_on(struct file *file)
{
        interrupt_window();
        if (!(cpu_work & (WORK_RESCHEDULE | WORK_EXIT)))
                return true;
        file_begin(file);
        bool goes_on = work_goes_on();
        file_end(file);
        return goes_on;
}

static long read_pages(struct file *file, uintptr_t to, size_t size, void *page)
{
        size_t done = 0;
        long part;
        do {
                size_t wanted = size - done < PAGE_SIZE ? size - done : PAGE_SIZE;
                part = file->node->kind->read(file->node, file->position, page, wanted);
                if (part > 0 && user_write(to + done, page, (size_t)part))
                        part = -EFAULT;
                if (part <= 0)
                        break;
                done += (size_t)part;
                file->position += (size_t)part;
        } while (done < size && work_goes_on());
        return done ? (long)done : part;
}

static __attribute__((noinline)) long read_node(struct file *file, uintptr_t to, size_t size)
{
        void *page = heap_allocate(PAGE_SIZE);
        if (!page)
                return -ENOMEM;
        file_hold(file);
        file_begin(file);
        long done = read_pages(file, to, size, page);
        file_end(file);
        file_release(file);
        heap_free(page);
        return done;
}

long file_read_node(struct file *file, uintptr_t to, size_t size)
{
        return size ? read_node(file, to, size) : 0;
}

const void *file_look(const struct file *file, size_t *run)
{
        uintptr_t frame;
        return file->node && file->node->kind->look
                       ? file->node->kind->look(file->node, file->position, run, &frame)
                       : NULL;
}

int64_t file_seek(struct file *file, int64_t offset, int whence, uint64_t end)
{
        uint64_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->position : end;
        if (whence > SEEK_END)
                return missing_request(MISSING_seek, (uint32_t)whence, -EINVAL);
        if (__builtin_add_overflow((int64_t)base, offset, &offset) || offset < 0)
                return -EINVAL;
        file->position = (uint64_t)offset;
        return offset;
}

int64_t file_seek_node(struct file *file, int64_t offset, int whence)
{
        return file_seek(file, offset, whence, node_facts(file->node).size);
}

int64_t file_seek_endless(struct file *file, int64_t offset, int whence)
{
        return whence > SEEK_CUR ? -EINVAL : file_seek(file, offset, whence, 0);
}

int64_t file_seek_nowhere(struct file *file, int64_t offset, int whence)
{
        return 0;
}
