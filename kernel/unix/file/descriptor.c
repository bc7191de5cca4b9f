/* descriptor.c - a process's descriptors, and the calls on them. */
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "node/node.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/resource.h"
#include "uapi.h"
#include "process/task.h"

#define SETTABLE (O_APPEND | O_NONBLOCK)

struct files_row files_no_row;

/* A table with one user and nothing open. NULL = out of memory. */
static struct files *descriptor_create(void)
{
        struct files *files = heap_allocate(sizeof *files);
        if (!files)
                return NULL;
        files->users = 1;
        for (unsigned n = 0; n < FILES_ROWS - 1; n++)
                files->far[n] = &files_no_row;
        return files;
}

/* Descriptors as at the start of Linux's first program, but with the halves of a terminal: 0 is
 * read-only, 1 and 2 write-only. */
struct files *files_create(struct node *console)
{
        struct files *files = descriptor_create();
        struct file *in = file_create(&console_kind, console, O_RDONLY);
        struct file *out = file_create(&console_kind, console, O_WRONLY);
        if (!files || !in || !out) {
                if (in)
                        file_release(in);
                if (out)
                        file_release(out);
                heap_free(files);
                return NULL;
        }
        file_hold(out);
        memcpy(files->near.of, (struct file *[]){in, out, out}, 3 * sizeof in);
        return files;
}

static struct files_row *row_of(struct files *files, unsigned row)
{
        return row ? files->far[row - 1] : &files->near;
}

/* A writable row. NULL = out of memory. */
static struct files_row *make_row(struct files *files, unsigned row)
{
        if (row_of(files, row) == &files_no_row) {
                struct files_row *made = heap_allocate(sizeof *made);
                if (!made)
                        return NULL;
                files->far[row - 1] = made;
        }
        return row_of(files, row);
}

/* False = out of memory. */
static bool copy_row(struct files *to, struct files *from, unsigned row)
{
        const struct files_row *there = row_of(from, row);
        if (there == &files_no_row)
                return true;
        struct files_row *copy = make_row(to, row);
        if (!copy)
                return false;
        *copy = *there;
        for (unsigned i = 0; i < FILES_NEAR; i++)
                if (copy->of[i])
                        file_hold(copy->of[i]);
        return true;
}

struct files *files_copy(struct files *from)
{
        struct files *files = descriptor_create();
        bool whole = files != NULL;
        for (unsigned row = 0; whole && row < FILES_ROWS; row++) {
                interrupt_window();
                whole = copy_row(files, from, row);
        }
        if (whole)
                return files;
        files_release(files);
        return NULL;
}

/* Other threads of the table may be in a read or write of the file without holding it (calls.c):
 * they release it when that ends. */
static void leave_to_readers(const struct files *files, struct file *file)
{
        for (struct thread *t = threads; t; t = t->next) {
                interrupt_window();
                if (task_of(t)->files == files && task_of(t)->transfers == file &&
                    !task_of(t)->holds) {
                        file_hold(file);
                        task_of(t)->holds = true;
                }
        }
}

/* Closes the file at this index. */
static void descriptor_drop(struct files *files, struct files_row *row, unsigned index)
{
        struct file *file = row->of[index];
        row->of[index] = NULL;
        row->close_on_exec &= ~(1ull << index);
        if (files->owner.locks)
                locks_forget(&files->owner, file);
        if (files->users > 1)
                leave_to_readers(files, file);
        file_release(file);
}

/* One of many: other threads run then. */
static void drop_of_many(struct files *files, struct files_row *row, unsigned index)
{
        descriptor_drop(files, row, index);
        node_release_late();
        work_goes_on();
}

/* Frees most before its last user ends; other threads run. */
static void files_shed(struct files *files)
{
        for (unsigned n = 0; n < FILES_ROWS && files->users == 1; n++) {
                struct files_row *row = row_of(files, n);
                for (unsigned i = 0; row != &files_no_row && i < FILES_NEAR; i++)
                        if (row->of[i])
                                drop_of_many(files, row, i);
        }
}

void files_release(struct files *files)
{
        if (!files)
                return;
        files_shed(files);
        if (--files->users)
                return;
        for (unsigned n = 0; n < FILES_ROWS; n++) {
                struct files_row *row = row_of(files, n);
                interrupt_window();
                if (row == &files_no_row)
                        continue;
                for (unsigned i = 0; i < FILES_NEAR; i++)
                        if (row->of[i])
                                descriptor_drop(files, row, i);
                if (n)
                        heap_free(row);
        }
        heap_free(files);
}

void files_exec(struct files *files)
{
        for (unsigned n = 0; n < FILES_ROWS; n++) {
                struct files_row *row = row_of(files, n);
                interrupt_window();
                for (unsigned i = 0; row->close_on_exec && i < FILES_NEAR; i++)
                        if (row->close_on_exec >> i & 1)
                                drop_of_many(files, row, i);
        }
}

struct file *files_at(struct files *files, unsigned descriptor)
{
        return row_of(files, descriptor / FILES_NEAR)->of[descriptor % FILES_NEAR];
}

struct file *file_of(long descriptor)
{
        unsigned index = (unsigned)descriptor;
        return index < FILES ? files_at(task()->files, index) : NULL;
}

static void set_close_on_exec(struct files_row *row, unsigned index, bool on)
{
        row->close_on_exec &= ~(1ull << index);
        row->close_on_exec |= (uint64_t)on << index;
}

static void descriptor_put(struct files_row *row, unsigned index, struct file *file,
                           bool close_on_exec)
{
        row->of[index] = file;
        set_close_on_exec(row, index, close_on_exec);
}

/* Descriptors that a process may have (RLIMIT_NOFILE). */
static unsigned files_most(void)
{
        uint64_t limit = resource_limit(RLIMIT_NOFILE);
        return limit < FILES ? (unsigned)limit : FILES;
}

int descriptor_free(unsigned least)
{
        unsigned most = files_most();
        if (least && least >= most)
                return -EINVAL;
        for (unsigned i = least; i < most; i++) {
                const struct files_row *row = make_row(task()->files, i / FILES_NEAR);
                if (!row)
                        return -ENOMEM;
                if (!row->of[i % FILES_NEAR])
                        return (int)i;
        }
        return -EMFILE;
}

int descriptor_add(struct file *file, unsigned least, bool close_on_exec)
{
        int i = descriptor_free(least);
        if (i >= 0)
                descriptor_put(row_of(task()->files, (unsigned)i / FILES_NEAR),
                               (unsigned)i % FILES_NEAR, file, close_on_exec);
        return i;
}

long descriptor_give_at(struct file *file, unsigned descriptor, bool close_on_exec)
{
        struct files_row *row = row_of(task()->files, descriptor / FILES_NEAR);
        if (row->of[descriptor % FILES_NEAR])
                return descriptor_give(file, close_on_exec);
        descriptor_put(row, descriptor % FILES_NEAR, file, close_on_exec);
        return descriptor;
}

long descriptors_give(struct file *files[2], uintptr_t to, bool close_on_exec)
{
        int fds[2];
        for (int i = 0; i < 2; i++)
                fds[i] = descriptor_add(files[i], 0, close_on_exec);
        int error = fds[0] < 0 || fds[1] < 0 ? -EMFILE : user_put(to, &fds);
        for (int i = 0; error && i < 2; i++) {
                if (fds[i] < 0)
                        file_release(files[i]);
                else
                        sys_close(fds[i], 0, 0, 0, 0, 0);
        }
        return error;
}

static long duplicate(struct file *file, unsigned least, bool close_on_exec)
{
        int descriptor = descriptor_add(file, least, close_on_exec);
        if (descriptor >= 0)
                file_hold(file);
        return descriptor;
}

static long duplicate_to(long from, long to, bool close_on_exec)
{
        struct files *files = task()->files;
        struct file *file = file_of(from);
        unsigned index = (unsigned)to;
        if (!file || index >= files_most())
                return -EBADF;
        struct files_row *row = make_row(files, index / FILES_NEAR);
        if (!row)
                return -ENOMEM;
        file_hold(file);
        if (row->of[index % FILES_NEAR])
                descriptor_drop(files, row, index % FILES_NEAR);
        descriptor_put(row, index % FILES_NEAR, file, close_on_exec);
        return (long)index;
}

long sys_close(long fd, AFTER_1)
{
        struct files *files = task()->files;
        if (!file_of(fd))
                return -EBADF;
        descriptor_drop(files, row_of(files, (unsigned)fd / FILES_NEAR), (unsigned)fd % FILES_NEAR);
        return 0;
}

long sys_close_range(long first, long last, long how, AFTER_3)
{
        unsigned flags = (unsigned)how, end = (unsigned)last < FILES ? (unsigned)last + 1 : FILES;
        if (flags & ~(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC) ||
            (unsigned)first > (unsigned)last)
                return -EINVAL;
        if (flags & CLOSE_RANGE_UNSHARE) {
                struct files *own = OWN(task()->files, files_copy);
                if (!own)
                        return -ENOMEM;
                files_release(task()->files);
                task()->files = own;
        }
        for (unsigned fd = (unsigned)first; fd < end; fd++) {
                if (flags & CLOSE_RANGE_CLOEXEC)
                        sys_fcntl(fd, F_SETFD, FD_CLOEXEC, 0, 0, 0);
                else
                        sys_close(fd, 0, 0, 0, 0, 0);
                node_release_late();
                work_goes_on();
        }
        return 0;
}

long sys_dup(long fd, AFTER_1)
{
        struct file *file = file_of(fd);
        return file ? duplicate(file, 0, false) : -EBADF;
}

long sys_dup2(long from_fd, long to_fd, AFTER_2)
{
        if ((int)from_fd == (int)to_fd)
                return file_of(from_fd) ? (int)to_fd : -EBADF;
        return duplicate_to(from_fd, to_fd, false);
}

long sys_dup3(long from_fd, long to_fd, long flags, AFTER_3)
{
        if ((int)from_fd == (int)to_fd || (unsigned)flags & ~(unsigned)O_CLOEXEC)
                return -EINVAL;
        return duplicate_to(from_fd, to_fd, (unsigned)flags & O_CLOEXEC);
}

static long descriptor_control(long fd, long command, long argument, bool large)
{
        struct file *file = file_of(fd);
        unsigned index = (unsigned)fd % FILES_NEAR;
        if (!file)
                return -EBADF;
        struct files_row *row = row_of(task()->files, (unsigned)fd / FILES_NEAR);
        switch ((unsigned)command) {
        case F_DUPFD: return duplicate(file, (unsigned)argument, false);
        case F_DUPFD_CLOEXEC: return duplicate(file, (unsigned)argument, true);
        case F_GETFD: return row->close_on_exec >> index & 1;
        case F_SETFD: set_close_on_exec(row, index, argument & FD_CLOEXEC); return 0;
        case F_GETFL:
                return (long)((file->flags & ~(unsigned)O_UNTOLD) |
                              (file->node && !call_narrow() ? O_LARGEFILE : 0));
        case F_SETFL:
                file->flags = (file->flags & ~SETTABLE) | ((unsigned)argument & SETTABLE);
                return 0;
        default: return lock_command(file, fd, (unsigned)command, (uintptr_t)argument, large);
        }
}

long sys_fcntl(long fd, long command, long argument, AFTER_3)
{
        return descriptor_control(fd, command, argument, false);
}

long sys_fcntl64(long fd, long command, long argument, AFTER_3)
{
        return descriptor_control(fd, command, argument, true);
}
