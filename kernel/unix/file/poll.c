/* poll.c - waiting for any of several files: poll_files(), ppoll(), select(), pselect6().
 *
 * All four build the same list of questions. Each file's kind reports its current events. If none
 * is wanted, each question joins the lists of waiters that its file's kind names, and the thread
 * sleeps until one is woken. Then it asks again. */
#include "file/poll.h"
#include "clock/clock.h"
#include "cpu/window.h"
#include "file/file.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "thread/user.h"
#include "calls.h"
#include "process/sigframe.h"
#include "process/signal.h"
#include "process/time.h"
#include "process/task.h"

#define ALWAYS                                                                                     \
        (POLL_READABLE | POLL_WRITABLE)        /* the answer of a file that never makes anybody    \
                                                * wait */
#define UNASKED (POLLERR | POLLHUP | POLLNVAL) /* reported even if not requested */
#define MASK_SIZE 8

/* The questions, in parts of one page. Other threads run between two of them. */
#define PART ((PAGE_SIZE - 2 * sizeof(void *)) / sizeof(struct poll))
struct part {
        struct part *next;
        unsigned count;
        struct poll of[];
};
struct questions {
        struct part *first, *last;
};

/* The timeout of a wait. */
struct end {
        bool timed, now;
        uint64_t moment;
};

static void leave_list(const struct poll_waiter *waiter)
{
        *waiter->link = waiter->next;
        if (waiter->next)
                waiter->next->link = waiter->link;
}

/* It asks for the same file by another descriptor, too: it is on the list once. */
static __attribute__((cold, noinline)) void leave_again(struct poll *poll)
{
        leave_list(&poll->waiter[--poll->lists]);
}

void poll_on(struct poll *poll, struct waiters *waiters)
{
        if (!poll || poll->lists == POLL_LISTS)
                return;
        struct poll_waiter *waiter = &poll->waiter[poll->lists++], *next = waiters->polls;
        *waiter = (struct poll_waiter){cpu_current, next, &waiters->polls};
        waiters->polls = waiter;
        if (!next)
                return;
        next->link = &waiter->next;
        if (next->thread == cpu_current)
                leave_again(poll);
}

void poll_off(const struct poll *poll)
{
        for (unsigned list = 0; list < poll->lists; list++)
                leave_list(&poll->waiter[list]);
}

/* Adds a question. `left`: how many may follow it. False = out of memory. */
static bool poll_add(struct questions *questions, int fd, unsigned events, unsigned left)
{
        struct part *part = questions->last;
        if (!part || part->count == PART) {
                size_t room = left + 1 < PART ? left + 1 : PART;
                part = heap_allocate(sizeof *part + room * sizeof(struct poll));
                if (!part)
                        return false;
                if (questions->last) {
                        questions->last->next = part;
                        work_goes_on();
                } else {
                        questions->first = part;
                }
                questions->last = part;
        }
        struct file *file = fd < 0 ? NULL : file_of(fd);
        if (file)
                file_hold(file);
        part->of[part->count++] = (struct poll){.file = file, .fd = fd, .events = (uint16_t)events};
        return true;
}

static __attribute__((cold, noinline)) void close_one(struct file *file)
{
        file_close(file);
        work_goes_on();
}

/* Another thread may have closed the files meanwhile: then this function closes them. */
static void poll_drop(struct questions *questions)
{
        struct part *part = questions->first;
        while (part) {
                struct part *next = part->next;
                for (unsigned i = 0; i < part->count; i++) {
                        struct poll *poll = &part->of[i];
                        interrupt_window();
                        for (unsigned list = 0; list < poll->lists; list++)
                                leave_list(&poll->waiter[list]);
                        if (poll->file && file_leave(poll->file))
                                close_one(poll->file);
                }
                heap_free(part);
                if (!(part = next))
                        break;
                work_goes_on();
        }
}

static unsigned poll_answer(struct poll *poll, bool waits)
{
        struct file *file = poll->file;
        unsigned so = !file              ? poll->fd < 0 ? 0 : POLLNVAL
                      : file->kind->poll ? file->kind->poll(file, waits ? poll : NULL)
                                         : ALWAYS;
        return so & poll->events;
}

/* FIRST: other threads run meanwhile. JOINS and LAST: none does, for the thread sleeps if there are
 * no events, and would miss its wake-up. JOINS makes it wait for all of them. */
enum ask { FIRST, JOINS, LAST };

/* The number of files with events; FIRST: or -EINTR. */
static long poll_ask(struct questions *questions, enum ask how)
{
        long answers = 0;
        struct part *part = questions->first;
        while (part) {
                for (unsigned i = 0; i < part->count; i++) {
                        struct poll *poll = &part->of[i];
                        interrupt_window();
                        poll->answer = (uint16_t)poll_answer(poll, how == JOINS && !answers);
                        answers += poll->answer != 0;
                }
                if (!(part = part->next))
                        break;
                if (how == FIRST && !work_goes_on())
                        return -EINTR;
        }
        return answers;
}

static bool is_over(const struct end *end)
{
        return end->timed && end->moment <= clock_now();
}

/* The number of files with events, 0 after the timeout, -EINTR if a signal came first. */
static long wait_for(struct questions *questions, const struct end *end)
{
        long answers = poll_ask(questions, FIRST);
        if (answers || end->now)
                return answers;
        for (answers = poll_ask(questions, JOINS); !answers && !is_over(end);
             answers = poll_ask(questions, LAST))
                if (!(end->timed ? wait_woken_until(end->moment) : wait_woken()))
                        return -EINTR;
        return answers;
}

/* A struct timespec or timeval, NULL = for ever. 0 or -errno. */
static int read_end(uintptr_t from, uint32_t parts, struct end *end)
{
        uint64_t moment;
        *end = (struct end){0};
        int error = from ? time_after(from, parts, &moment) : 0;
        if (!error && from)
                *end = (struct end){true, !moment, moment};
        return error;
}

/* Writes the remaining time. If that memory cannot be written, the call is not restarted, because
 * it would wait for the whole time again. */
static long write_left(uintptr_t to, uint32_t parts, const struct end *end, long result)
{
        bool failed = to && time_write_left(to, parts, end->moment);
        if (result != -EINTR)
                return result;
        return failed ? -EINTR : call_interrupted(ERESTARTNOHAND);
}

struct pollfd {
        int32_t fd;
        uint16_t events, answer;
};

static int read_questions(struct questions *questions, uintptr_t from, unsigned count)
{
        for (unsigned i = 0; i < count; i++) {
                struct pollfd one;
                interrupt_window();
                if (user_get(&one, user_element(from, i, sizeof one)))
                        return -EFAULT;
                if (!poll_add(questions, one.fd, one.events | UNASKED, count - i - 1))
                        return -ENOMEM;
        }
        return 0;
}

static int write_answers(const struct questions *questions, uintptr_t to)
{
        for (const struct part *part = questions->first; part; part = part->next)
                for (unsigned i = 0; i < part->count; i++, to += sizeof(struct pollfd)) {
                        interrupt_window();
                        if (user_put(to + offsetof(struct pollfd, answer), &part->of[i].answer))
                                return -EFAULT;
                }
        return 0;
}

static long poll_files(uintptr_t at, unsigned count, const struct end *end)
{
        struct questions questions = {0};
        if (count > FILES)
                return -EINVAL;
        long result = read_questions(&questions, at, count);
        if (!result)
                result = wait_for(&questions, end);
        if (result >= 0 && write_answers(&questions, at))
                result = -EFAULT;
        poll_drop(&questions);
        return result;
}

long sys_poll(long at, long count, long milliseconds, AFTER_3)
{
        uint64_t span = ((uint64_t)(uint32_t)milliseconds << 32) + 999;
        struct end end = {0};
        divide64(&span, 1000);
        if ((int)milliseconds >= 0)
                end = (struct end){true, !span, sleep_end(clock_after(span))};
        long result = poll_files((uintptr_t)at, (unsigned)count, &end);
        if (result != -EINTR)
                return result;
        return end.timed ? sleep_interrupted() : call_interrupted(ERESTARTNOHAND);
}

/* Sets the mask of a call that waits with a mask of its own (as rt_sigsuspend does). */
int mask_set(uintptr_t from, size_t size)
{
        uint64_t mask;
        if (!from)
                return 0;
        if (size != MASK_SIZE)
                return -EINVAL;
        if (user_get(&mask, from))
                return -EFAULT;
        signal_suspend(mask);
        return 0;
}

/* If interrupted, the way out to the handler restores it. */
void mask_back(long result)
{
        struct signal_state *s = &task()->signals;
        if (!s->suspended || result == -EINTR)
                return;
        s->suspended = false;
        signal_set_mask(s->saved_mask);
}

long sys_ppoll(long at, long count, long time, long mask, long size, AFTER_5)
{
        struct end end;
        long result = read_end((uintptr_t)time, NANOSECONDS, &end);
        if (!result)
                result = mask_set((uintptr_t)mask, (size_t)size);
        if (result)
                return result;
        result = poll_files((uintptr_t)at, (unsigned)count, &end);
        mask_back(result);
        return write_left((uintptr_t)time, NANOSECONDS, &end, result);
}

enum { TO_READ, TO_WRITE, EXCEPTED, SETS };
/* The bit of each set, and the events that answer it: a read or write would not wait, perhaps
 * because it fails or is at the end. */
static const struct {
        uint16_t asks, answers;
} sets[SETS] = {
        [TO_READ] = {POLLIN, POLL_READABLE | POLLRDBAND | POLLHUP | POLLERR},
        [TO_WRITE] = {POLLOUT, POLL_WRITABLE | POLLWRBAND | POLLERR},
        [EXCEPTED] = {POLLPRI, POLLPRI},
};

typedef uint8_t set[FILES / 8];

static bool has(const set bits, unsigned fd)
{
        return bits[fd / 8] >> fd % 8 & 1;
}

/* The size of the program's sets: words that hold `count` bits. */
static size_t set_size(unsigned count)
{
        unsigned word = 8 * program_word();
        return (count + word - 1) / word * program_word();
}

static int read_sets(struct questions *questions, const uintptr_t at[SETS], unsigned count)
{
        set in[SETS] = {{0}};
        for (unsigned i = 0; i < SETS; i++)
                if (at[i] && user_read(in[i], at[i], set_size(count)))
                        return -EFAULT;
        for (unsigned fd = 0; fd < count; fd++) {
                unsigned events = 0;
                interrupt_window();
                for (unsigned i = 0; i < SETS; i++)
                        if (has(in[i], fd))
                                events |= sets[i].answers;
                if (!events)
                        continue;
                if (!file_of(fd))
                        return -EBADF;
                if (!poll_add(questions, (int)fd, events, count - fd - 1))
                        return -ENOMEM;
        }
        return 0;
}

/* Returns the number of set bits, or -EFAULT. */
static long write_sets(const struct questions *questions, const uintptr_t at[SETS], unsigned count)
{
        set out[SETS] = {{0}};
        long bits = 0;
        for (const struct part *part = questions->first; part; part = part->next)
                for (unsigned n = 0; n < part->count; n++) {
                        const struct poll *poll = &part->of[n];
                        interrupt_window();
                        for (unsigned i = 0; i < SETS; i++)
                                if (poll->events & sets[i].asks && poll->answer & sets[i].answers) {
                                        out[i][poll->fd / 8] |= (uint8_t)(1 << poll->fd % 8);
                                        bits++;
                                }
                }
        for (unsigned i = 0; i < SETS; i++)
                if (at[i] && user_write(at[i], out[i], set_size(count)))
                        return -EFAULT;
        return bits;
}

/* Bits beyond the possible descriptors are ignored. */
static long poll_choose(long wanted, const uintptr_t at[SETS], const struct end *end)
{
        struct questions questions = {0};
        unsigned count = (int)wanted > FILES ? FILES : (unsigned)wanted;
        if ((int)wanted < 0)
                return -EINVAL;
        long result = read_sets(&questions, at, count);
        if (!result)
                result = wait_for(&questions, end);
        if (result >= 0)
                result = write_sets(&questions, at, count);
        poll_drop(&questions);
        return result;
}

long sys_select(long count, long in, long out, long excepted, long time, AFTER_5)
{
        const uintptr_t at[SETS] = {(uintptr_t)in, (uintptr_t)out, (uintptr_t)excepted};
        struct end end;
        long result = read_end((uintptr_t)time, MICROSECONDS, &end);
        if (!result)
                result = poll_choose(count, at, &end);
        else
                return result;
        return write_left((uintptr_t)time, MICROSECONDS, &end, result);
}

/* For 32-bit programs: the five arguments are in memory. */
long sys_old_select(long arguments, AFTER_1)
{
        uintptr_t a[5];
        int error = user_get_words(a, (uintptr_t)arguments, 5);
        return error ? error
                     : sys_select((int)a[0], (long)a[1], (long)a[2], (long)a[3], (long)a[4], 0);
}

/* Its mask is passed with its size, as two words in the program's memory. */
long sys_pselect6(long count, long in, long out, long excepted, long time, long mask)
{
        const uintptr_t at[SETS] = {(uintptr_t)in, (uintptr_t)out, (uintptr_t)excepted};
        uintptr_t pair[2] = {0, 0};
        struct end end;
        if (mask && user_get_words(pair, (uintptr_t)mask, 2))
                return -EFAULT;
        long result = read_end((uintptr_t)time, NANOSECONDS, &end);
        if (!result)
                result = mask_set(pair[0], pair[1]);
        if (result)
                return result;
        result = poll_choose(count, at, &end);
        mask_back(result);
        return write_left((uintptr_t)time, NANOSECONDS, &end, result);
}
