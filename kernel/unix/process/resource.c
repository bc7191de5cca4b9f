/* resource.c - getrlimit(), setrlimit(), prlimit64(): resource limits of a process. */
#include "process/resource.h"
#include "cpu/window.h"
#include "lib/string.h"
#include "mem/heap.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"
#include "thread/user.h"
#include "calls.h"
#include "process/change.h"
#include "process/process.h"

#define NARROW_INFINITY UINT32_MAX
#define OLD_INFINITY INT32_MAX /* the largest value of i386's getrlimit() */

#define STACK_MOST (8u << 20)
#define STACK_LEAST (256u << 10) /* has room for arguments */

static size_t stack_of_all(void)
{
        uintptr_t quarter = memory_top / 4 & ~(uintptr_t)(PAGE_SIZE - 1);
        return quarter < STACK_MOST ? quarter : STACK_MOST;
}

static size_t stack_room(uint64_t own)
{
        size_t most = stack_of_all();
        own &= ~(uint64_t)(PAGE_SIZE - 1);
        return own < STACK_LEAST ? STACK_LEAST : own < most ? (size_t)own : most;
}

static uint64_t there_is(unsigned which)
{
        switch (which) {
        case RLIMIT_STACK: return stack_of_all();
        case RLIMIT_NOFILE: return FILES;
        case RLIMIT_NPROC: return THREADS;
        default: return RLIM_INFINITY;
        }
}

bool resource_begin(struct process *process, const struct process *parent)
{
        if (!parent || !parent->settings)
                return true;
        process->settings = heap_allocate(sizeof *process->settings);
        if (!process->settings)
                return false;
        *process->settings = *parent->settings;
        process->settings->adopts = false;
        return true;
}

struct resource resource_of(const struct process *process, unsigned which)
{
        return process->settings ? process->settings->limits[which]
                                 : (struct resource){there_is(which), there_is(which)};
}

const struct settings *settings_of(const struct process *process)
{
        static const struct settings none;
        return process->settings ? process->settings : &none;
}

struct settings *resource_settings(struct process *process)
{
        struct settings *made = process->settings ? NULL : heap_allocate(sizeof *made);
        for (unsigned i = 0; made && i < RLIMITS; i++)
                made->limits[i] = resource_of(process, i);
        if (made)
                process->settings = made;
        return process->settings;
}

uint64_t resource_limit(unsigned which)
{
        const struct process *process = cpu_current ? task()->process : NULL;
        return process && process->settings ? process->settings->limits[which].now
                                            : there_is(which);
}

#define ANY 0
#define DATA (AREA_WRITE | AREA_SHARED | AREA_GROWS_DOWN) /* of these flags, AREA_WRITE alone */

/* Bytes in areas between two addresses, where flags & mask == value. */
static uint64_t size_of(const struct memory *memory, uintptr_t from, uintptr_t to, unsigned flags,
                        unsigned are)
{
        uint64_t size = 0;
        for (const struct area *a = memory_area(memory, from); a && a->start < to;
             a = memory_area(memory, a->end)) {
                interrupt_window();
                if ((a->flags & flags) == are)
                        size += (a->end < to ? a->end : to) - (a->start > from ? a->start : from);
        }
        return size;
}

static bool is_within(unsigned which, const struct memory *memory, uint64_t more)
{
        uint64_t limit = resource_limit(which);
        return limit == RLIM_INFINITY ||
               (which == RLIMIT_DATA ? size_of(memory, 0, UINTPTR_MAX, DATA, AREA_WRITE)
                                     : size_of(memory, 0, UINTPTR_MAX, ANY, 0)) +
                               more <=
                       limit;
}

size_t resource_stack(void)
{
        return stack_room(resource_limit(RLIMIT_STACK));
}

bool resource_has_room(const struct memory *memory, size_t size, bool data)
{
        return is_within(RLIMIT_AS, memory, size) &&
               (!data || is_within(RLIMIT_DATA, memory, size));
}

bool resource_has_room_in_place(const struct memory *memory, uintptr_t start, size_t size,
                                bool data)
{
        uint64_t more = size - size_of(memory, start, start + size, ANY, 0);
        return is_within(RLIMIT_AS, memory, more) &&
               (!data || is_within(RLIMIT_DATA, memory, more));
}

bool resource_may_write(const struct memory *memory, uintptr_t start, size_t size)
{
        return resource_limit(RLIMIT_DATA) == RLIM_INFINITY ||
               is_within(RLIMIT_DATA, memory, size_of(memory, start, start + size, DATA, 0));
}

/* Refuses a limit above the kernel's own, which could not be guaranteed. */
static long change(struct process *process, unsigned which, const struct resource *to)
{
        if (to->now > to->most)
                return -EINVAL;
        if (to->most > there_is(which) ||
            ((which == RLIMIT_CPU || which == RLIMIT_FSIZE) && to->now != RLIM_INFINITY))
                return -EPERM;
        struct settings *settings = resource_settings(process);
        if (!settings)
                return -ENOMEM;
        settings->limits[which] = *to;
        return 0;
}

/* Makes room below the caller's stack, as made by execve(), for its new limit; its pages stay. Not
 * for another process, which may be using its stack, for instance in a fork. */
static int move_stack(struct memory *memory, uint64_t size)
{
        const struct area *area = memory ? memory_area(memory, memory->limit - 1) : NULL;
        if (!area || area->end != memory->limit || !(area->flags & AREA_GROWS_DOWN))
                return 0;
        uintptr_t from = area->start, to = memory->limit - stack_room(size);
        if (from < to) {
                space_next(memory->space, &from, to, false);
                return memory_unmap(memory, area->start, (from < to ? from : to) - area->start);
        }
        bool free = from > to && memory_is_free(memory, to - STACK_GUARD, from - to);
        return free ? memory_map(memory, to, from - to, area->flags) : 0;
}

/* Only the caller's stack moves: meanwhile another process may end. */
static long change_of(struct process *process, unsigned which, const struct resource *to)
{
        const struct resource was = resource_of(process, which);
        long error = change(process, which, to);
        if (!error && which == RLIMIT_STACK && process == task()->process) {
                memory_change();
                error = memory_changed(move_stack(cpu_current->memory, to->now));
        }
        return error == -ENOMEM ? change(process, which, &was), error : error;
}

long sys_prlimit64(long pid, long which, long from, long to, AFTER_4)
{
        const struct thread *thread = pid ? thread_find((uint32_t)pid) : cpu_current;
        struct resource old, new;
        if (from && user_get(&new, (uintptr_t)from))
                return -EFAULT;
        if (!thread)
                return -ESRCH;
        if ((unsigned)which >= RLIMITS)
                return -EINVAL;
        old = resource_of(task_of(thread)->process, (unsigned)which);
        long error = from ? change_of(task_of(thread)->process, (unsigned)which, &new) : 0;
        return error || !to ? error : user_put((uintptr_t)to, &old);
}

static uint64_t resource_least(uint64_t a, uint64_t b)
{
        return a < b ? a : b;
}

static long resource_tell(long which, uintptr_t to, uint64_t infinity)
{
        if ((unsigned)which >= RLIMITS)
                return -EINVAL;
        struct resource r = resource_of(task()->process, (unsigned)which);
        const uintptr_t words[2] = {(uintptr_t)resource_least(r.now, infinity),
                                    (uintptr_t)resource_least(r.most, infinity)};
        return user_put_words(to, words, 2);
}

long sys_getrlimit(long which, long to, AFTER_2)
{
        return resource_tell(which, (uintptr_t)to, call_narrow() ? OLD_INFINITY : RLIM_INFINITY);
}

long sys_ugetrlimit(long which, long to, AFTER_2)
{
        return resource_tell(which, (uintptr_t)to, NARROW_INFINITY);
}

static uint64_t resource_widened(uintptr_t word)
{
        return call_narrow() && word == NARROW_INFINITY ? RLIM_INFINITY : word;
}

long sys_setrlimit(long which, long from, AFTER_2)
{
        uintptr_t words[2];
        if ((unsigned)which >= RLIMITS)
                return -EINVAL;
        if (user_get_words(words, (uintptr_t)from, 2))
                return -EFAULT;
        const struct resource to = {resource_widened(words[0]), resource_widened(words[1])};
        return change_of(task()->process, (unsigned)which, &to);
}
