/* epoll.c - waiting for many files again and again: epoll_create(), epoll_ctl(), epoll_wait().
 *
 * A watch stays on its file's lists of waiters, like a sleeping poll(). When such a list is woken,
 * the watch is put on its epoll's ready list; the waiting thread then asks the file for its events.
 * A watch ends with its open file, which it does not hold. */
#include "clock/clock.h"
#include "cpu/window.h"
#include "errno.h"
#include "file/file.h"
#include "file/poll.h"
#include "lib/printf.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/missing.h"

#define WATCHES_MOST 2048 /* of all: an event may make all of them ready */
#define CHAINS 64
#define ALWAYS (POLLERR | POLLHUP)
#define EVENTS_MOST (INT32_MAX / (int32_t)sizeof(struct event))

struct event {
        uint32_t events;
        uint64_t data;
} __attribute__((packed));

struct watch {
        enum thread_state state; /* THREAD_NONE */
        struct poll poll;        /* events asked for now, 0 after EPOLLONESHOT */
        struct epoll *epoll;
        struct event asked;
        struct place {
                struct watch *next, **link; /* link: the pointer to this watch */
        } on[4];                            /* enum list */
        bool ready;                         /* it is on the ready list */
};

enum list { OF_FILE, OF_EPOLL, OF_FD, READY };

struct epoll {
        struct watch *watches, *ready, **ready_end;
        struct waiters waiters;
};

static struct watch *chains[CHAINS]; /* all watches, hashed by file */
static struct watch *by_fd[CHAINS];  /* and by epoll and fd */
static unsigned watches;

static struct watch **chain_of(const struct file *file)
{
        return &chains[(uintptr_t)file / sizeof *file % CHAINS];
}

static struct watch **chain_of_fd(const struct epoll *epoll, int fd)
{
        return &by_fd[((uintptr_t)epoll / sizeof *epoll + (unsigned)fd) % CHAINS];
}

static void list_add(struct watch **first, struct watch *watch, enum list list)
{
        watch->on[list] = (struct place){*first, first};
        if (*first)
                (*first)->on[list].link = &watch->on[list].next;
        *first = watch;
}

static void list_leave(struct watch *watch, enum list list)
{
        struct place *place = &watch->on[list];
        *place->link = place->next;
        if (place->next)
                place->next->on[list].link = place->link;
}

/* Appends to the ready list. */
static void put_ready(struct watch *watch)
{
        struct epoll *epoll = watch->epoll;
        if (watch->ready)
                return;
        watch->ready = true;
        watch->on[READY] = (struct place){NULL, epoll->ready_end};
        *epoll->ready_end = watch;
        epoll->ready_end = &watch->on[READY].next;
}

static void leave_ready(struct watch *watch)
{
        list_leave(watch, READY);
        if (!watch->on[READY].next)
                watch->epoll->ready_end = watch->on[READY].link;
        watch->ready = false;
}

static struct watch *last_of(const struct epoll *epoll)
{
        return (struct watch *)((uint8_t *)epoll->ready_end -
                                offsetof(struct watch, on[READY].next));
}

static void watch_tell(struct watch *watch)
{
        put_ready(watch);
        wake_all(&watch->epoll->waiters);
}

static void tell_at(void *state)
{
        watch_tell((struct watch *)((uint8_t *)state - offsetof(struct watch, state)));
}

static unsigned watch_answer(const struct watch *watch)
{
        return watch->poll.file->kind->poll(watch->poll.file, NULL) & watch->poll.events;
}

/* Sets the events that it asks for from now on. */
static void watch_arm(struct watch *watch, const struct event *asked)
{
        watch->asked = *asked;
        watch->poll.events = (uint16_t)(asked->events | ALWAYS);
        if (watch_answer(watch))
                watch_tell(watch);
}

static struct watch *watch_find(const struct epoll *epoll, const struct file *file, int fd)
{
        struct watch *watch = *chain_of_fd(epoll, fd);
        while (watch &&
               (watch->epoll != epoll || watch->poll.file != file || watch->poll.fd != fd)) {
                interrupt_window();
                watch = watch->on[OF_FD].next;
        }
        return watch;
}

static void end_watch(struct watch *watch)
{
        poll_off(&watch->poll);
        list_leave(watch, OF_FILE);
        list_leave(watch, OF_EPOLL);
        list_leave(watch, OF_FD);
        if (watch->ready)
                leave_ready(watch);
        heap_free(watch);
        watches--;
}

void epoll_forget(const struct file *file)
{
        for (struct watch *watch = *chain_of(file), *next; watch; watch = next) {
                next = watch->on[OF_FILE].next;
                interrupt_window();
                if (watch->poll.file == file)
                        end_watch(watch);
        }
}

static long watch_add(struct epoll *epoll, struct file *file, int fd, const struct event *asked)
{
        if (watches == WATCHES_MOST)
                return -ENOSPC;
        struct watch *watch = heap_allocate(sizeof *watch);
        if (!watch)
                return -ENOMEM;
        *watch = (struct watch){
                .poll = {.file = file, .fd = fd}, .state = THREAD_NONE, .epoll = epoll};
        list_add(chain_of(file), watch, OF_FILE);
        list_add(&epoll->watches, watch, OF_EPOLL);
        list_add(chain_of_fd(epoll, fd), watch, OF_FD);
        watches++;
        file->watched = true;
        file->kind->poll(file, &watch->poll);
        for (unsigned list = 0; list < watch->poll.lists; list++)
                watch->poll.waiter[list].thread = (struct thread *)((uint8_t *)&watch->state -
                                                                    offsetof(struct thread, state));
        watch_arm(watch, asked);
        return 0;
}

static unsigned epoll_poll(struct file *file, struct poll *poll)
{
        struct epoll *epoll = file->data;
        poll_on(poll, &epoll->waiters);
        for (struct watch *watch; (watch = epoll->ready); leave_ready(watch)) {
                interrupt_window();
                if (watch_answer(watch))
                        return POLLIN | POLLRDNORM;
        }
        return 0;
}

static void epoll_close(struct file *file)
{
        struct epoll *epoll = file->data;
        while (epoll->watches) {
                interrupt_window();
                end_watch(epoll->watches);
        }
        heap_free(epoll);
}

static const struct file_kind epoll_kind = {"epoll", .mode = 0600, .poll = epoll_poll,
                                            .close = epoll_close, .no_request = -EINVAL};

long sys_epoll_create1(long flags, AFTER_1)
{
        static uint32_t last_number;
        if ((unsigned)flags & ~(unsigned)O_CLOEXEC)
                return -EINVAL;
        struct epoll *epoll = heap_allocate(sizeof *epoll);
        struct file *file = epoll ? file_create(&epoll_kind, NULL, O_RDWR) : NULL;
        if (!file) {
                heap_free(epoll);
                return -ENOMEM;
        }
        watch_woken = tell_at;
        *epoll = (struct epoll){.ready_end = &epoll->ready};
        file->data = epoll;
        file->number = ++last_number;
        return descriptor_give(file, flags & O_CLOEXEC);
}

long sys_epoll_create(long size, AFTER_1)
{
        return (int)size > 0 ? sys_epoll_create1(0, 0, 0, 0, 0, 0) : -EINVAL;
}

long sys_epoll_ctl(long epoll_fd, long command, long fd, long event_at, AFTER_4)
{
        struct file *file = file_of(fd), *of = file_of(epoll_fd);
        struct event asked = {0};
        if ((int)command != EPOLL_CTL_DEL && user_get(&asked, (uintptr_t)event_at))
                return -EFAULT;
        if (!of || !file)
                return -EBADF;
        if (!file->kind->poll)
                return -EPERM;
        if (of == file || of->kind != &epoll_kind)
                return -EINVAL;
        if (file->kind == &epoll_kind)
                return missing_request(MISSING_watch, EPOLL_CTL_ADD, -EINVAL);
        struct epoll *epoll = of->data;
        struct watch *watch = watch_find(epoll, file, (int)fd);
        switch ((int)command) {
        case EPOLL_CTL_ADD: return watch ? -EEXIST : watch_add(epoll, file, (int)fd, &asked);
        case EPOLL_CTL_DEL:
                if (watch)
                        end_watch(watch);
                return watch ? 0 : -ENOENT;
        case EPOLL_CTL_MOD:
                if (watch)
                        watch_arm(watch, &asked);
                return watch ? 0 : -ENOENT;
        default: return -EINVAL;
        }
}

/* Asks each ready watch once: up to `most` with events, or -EFAULT. */
static long collect(struct epoll *epoll, uintptr_t to, int most)
{
        const struct watch *last = epoll->ready ? last_of(epoll) : NULL;
        long count = 0;
        for (bool more = last; more && count < most;) {
                struct watch *watch = epoll->ready;
                leave_ready(watch);
                interrupt_window();
                more = watch != last;
                struct event event = {watch_answer(watch), watch->asked.data};
                if (!event.events)
                        continue;
                if (!(watch->asked.events & EPOLLET))
                        put_ready(watch);
                if (user_put(user_element(to, (size_t)count, sizeof event), &event)) {
                        put_ready(watch);
                        return count ? count : -EFAULT;
                }
                if (watch->asked.events & EPOLLONESHOT)
                        watch->poll.events = 0;
                count++;
        }
        return count;
}

static long wait_for(struct file *file, uintptr_t to, int most, bool timed, uint64_t end)
{
        struct epoll *epoll = file->data;
        for (;;) {
                long count = collect(epoll, to, most);
                if (count || (timed && end <= clock_now()))
                        return count;
                if (!(timed ? wait_until(&epoll->waiters, end) : file_wait(file, &epoll->waiters)))
                        return -EINTR;
        }
}

long sys_epoll_wait(long fd, long to, long most, long milliseconds, AFTER_4)
{
        struct file *file = file_of(fd);
        uint64_t span = ((uint64_t)(uint32_t)milliseconds << 32) + 999;
        if ((int)most <= 0 || (int)most > EVENTS_MOST)
                return -EINVAL;
        if (!user_inside((uintptr_t)to, (size_t)(int)most * sizeof(struct event)))
                return -EFAULT;
        if (!file)
                return -EBADF;
        if (file->kind != &epoll_kind)
                return -EINVAL;
        divide64(&span, 1000);
        file_hold(file);
        long result = wait_for(file, (uintptr_t)to, (int)most, (int)milliseconds >= 0,
                               (int)milliseconds > 0 ? clock_after(span) : 0);
        file_release(file);
        return result;
}

long sys_epoll_pwait(long fd, long to, long most, long milliseconds, long mask, long size)
{
        long result = mask_set((uintptr_t)mask, (size_t)size);
        if (result)
                return result;
        result = sys_epoll_wait(fd, to, most, milliseconds, 0, 0);
        mask_back(result);
        return result;
}
