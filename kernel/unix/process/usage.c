/* usage.c - getrusage(), times(): user and system time, page faults, and the peak number of pages.
 *
 * A call runs with interrupts off, so a tick during the call arrives after it, at the program's
 * first instruction behind the call. Other ticks hit that instruction only by chance. Page faults
 * and other exceptions cannot be recognised: their time counts as the program's. */
#include "process/usage.h"
#include "clock/clock.h"
#include "cpu/window.h"
#include "machine/timer.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mem/memory.h"
#include "thread/user.h"
#include "process/alarm.h"
#include "calls.h"
#include "process/process.h"
#include "trap/dispatch.h"

#define RUSAGE_SELF 0
#define RUSAGE_CHILDREN -1
#define RUSAGE_THREAD 1
#define RUSAGE_WORDS 18 /* two times and 14 numbers */

/* Whether the frame continues behind a system call's instruction. */
static bool behind_call(const struct frame *frame)
{
        static const uint8_t ways[][2] = {{0x0f, 0x05}, {0xcd, 0x80}, {0x0f, 0x34}};
        uint8_t code[2];
        if (!memory_read(cpu_current->memory, frame->ip - sizeof code, code, sizeof code))
                return false;
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
                if (!memcmp(code, ways[i], sizeof code))
                        return true;
        return false;
}

static void add_time(struct usage *to, bool user)
{
        to->user += user;
        to->system += !user;
}

void usage_tick(struct thread *thread)
{
        bool user = interrupted_user && interrupted_frame && !behind_call(interrupted_frame);
        add_time(&task_of(thread)->usage, user);
        add_time(&task_of(thread)->process->usage, user);
        alarm_tick(task_of(thread)->process, user);
}

static void put_time(uintptr_t words[2], uint32_t ticks)
{
        words[0] = ticks / TIMER_HZ;
        words[1] = ticks % TIMER_HZ * (MICROSECONDS / TIMER_HZ);
}

static struct usage usage_of_thread(const struct thread *thread)
{
        return (struct usage){.faults = thread->faults,
                              .pages = thread->memory ? memory_peak(thread->memory) : 0};
}

void usage_leave(struct thread *thread)
{
        const struct usage had = usage_of_thread(thread);
        usage_add(&task_of(thread)->usage, &had);
        usage_add(&task_of(thread)->process->usage, &had);
        thread->faults = 0;
}

struct usage usage_of(const struct process *process)
{
        struct usage sum = process->usage;
        for (const struct thread *t = process->members; t; t = task_of(t)->next_member) {
                const struct usage has = usage_of_thread(t);
                interrupt_window();
                usage_add(&sum, &has);
        }
        return sum;
}

long usage_write(uintptr_t to, const struct usage *usage)
{
        uintptr_t words[RUSAGE_WORDS] = {0};
        put_time(words, usage->user);
        put_time(words + 2, usage->system);
        words[4] = usage->pages * (PAGE_SIZE / 1024);
        words[8] = usage->faults;
        return user_put_words(to, words, RUSAGE_WORDS);
}

long sys_getrusage(long who, long to, AFTER_2)
{
        const struct process *process = task()->process;
        struct usage usage = process->of_children;
        if ((int)who == RUSAGE_SELF) {
                usage = usage_of(process);
        } else if ((int)who == RUSAGE_THREAD) {
                const struct usage has = usage_of_thread(cpu_current);
                usage = task()->usage;
                usage_add(&usage, &has);
        } else if ((int)who != RUSAGE_CHILDREN) {
                return -EINVAL;
        }
        return usage_write((uintptr_t)to, &usage);
}

/* struct tms; returns the time since the boot in ticks, too. */
long sys_times(long to, AFTER_1)
{
        const struct process *p = task()->process;
        const uintptr_t words[4] = {p->usage.user, p->usage.system, p->of_children.user,
                                    p->of_children.system};
        uint64_t now = clock_now();
        if (to && user_put_words((uintptr_t)to, words, 4))
                return -EFAULT;
        return (long)(moment_seconds(now) * TIMER_HZ + moment_parts(now, TIMER_HZ));
}
