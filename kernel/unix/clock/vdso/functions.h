/* functions.h - system calls as functions: kernel code that runs with the program's privilege (A.
 * Arcangeli, "x86-64 vsyscalls", 2001, pages 7 to 9).
 *
 * They are in an ELF image, which programs find by AT_SYSINFO_EHDR; on amd64 a call of Linux's
 * vsyscalls reaches three of them, too (image.c). They read the time from the page at CLOCK_AT. The
 * vdso.c of each width has the differences.
 *
 * A bad pointer causes SIGSEGV at the storing instruction, as in any function of the program. Its
 * twin, whose name begins with __toll, returns -EFAULT: its stores are in the image's table of
 * fix-ups, which the page-fault handler uses (clock/image.c). */
#pragma once
#include <stdbool.h>
#include "clock/page.h"
#include "const.h"
#include "errno.h"
#include "layout.h"
#include "numbers.h"
#include "uapi.h"

#define PAGE ((const struct clock_page *)CLOCK_AT)

struct timeval {
        long seconds, microseconds;
};
struct timespec {
        long seconds, nanoseconds;
};
struct timezone {
        int minutes_west, summer_time;
};

/* Waits for the instructions above it: where there is LFENCE, the boot patches it in
 * (clock/image.c). */
static inline __attribute__((always_inline)) uint64_t tsc(void)
{
        unsigned long low, high;
        __asm__ volatile("1: " NO_FENCE "; rdtsc;"
                         ".pushsection .fences, \"a\"; .long 1b - .; .popsection"
                         : "=a"(low), "=d"(high)
                         :
                         : "memory");
        return (uint64_t)high << 32 | low;
}

/* A store that may fault: the function continues at `fault`, or the program gets SIGSEGV. */
#define GIVE(place, value)                                                                         \
        do {                                                                                       \
                if (!checked) {                                                                    \
                        *(volatile __typeof__(place) *)&(place) = (__typeof__(place))(value);      \
                        break;                                                                     \
                }                                                                                  \
                __asm__ goto("1: mov %1, %0;"                                                      \
                             ".pushsection .fixups, \"a\"; .long 1b - ., %l[fault] - .;"           \
                             ".popsection"                                                         \
                             :                                                                     \
                             : "m"(place), "r"((__typeof__(place))(value))                         \
                             : "memory"                                                            \
                             : fault);                                                             \
        } while (0)

/* FUNCTION(name, (arguments with types), (arguments)) - the function and its twin, of name_to() */
#define FUNCTION(type, name, takes, ...)                                                           \
        type __vdso_##name takes;                                                                  \
        type __toll_##name takes;                                                                  \
        SECTION(name) type __vdso_##name takes                                                     \
        {                                                                                          \
                return name##_to(__VA_ARGS__, false);                                              \
        }                                                                                          \
        SECTION(checked_##name) type __toll_##name takes                                           \
        {                                                                                          \
                return name##_to(__VA_ARGS__, true);                                               \
        }
#define SECTION(name) __attribute__((section(".text." #name), visibility("default")))
#define BODY static inline __attribute__((always_inline))

BODY int gettimeofday_to(struct timeval *to, struct timezone *zone, const bool checked)
{
        if (to) {
                uint64_t now = clock_moment(clock_read(PAGE, tsc));
                GIVE(to->seconds, moment_seconds(now));
                GIVE(to->microseconds, moment_parts(now, MICROSECONDS));
        }
        if (zone) {
                GIVE(zone->minutes_west, 0);
                GIVE(zone->summer_time, 0);
        }
        return 0;
fault:
        return -EFAULT;
}

static __attribute__((noinline)) unsigned long time_in_another_second(void)
{
        return moment_seconds(clock_moment(clock_read(PAGE, tsc)));
}

/* Until the TSC reaches `end`, the second's number needs no arithmetic. All other loads come after
 * the load of `end`: if an update interferes, its second is within this call. */
BODY long time_to(long *to, const bool checked)
{
        unsigned long seconds;
        if (__builtin_expect(tsc() < PAGE->end, 1))
                seconds = CLOCK_LOAD(PAGE->moment_high);
        else
                seconds = time_in_another_second();
        if (to)
                GIVE(*to, seconds);
        return (long)seconds;
fault:
        return -EFAULT;
}

BODY int getcpu_to(unsigned *cpu, unsigned *node, const bool checked)
{
        if (cpu)
                GIVE(*cpu, 0);
        if (node)
                GIVE(*node, 0);
        return 0;
fault:
        return -EFAULT;
}

#define BY_DATE (1 << CLOCK_REALTIME | 1 << CLOCK_REALTIME_COARSE)
#define COARSE (1 << CLOCK_REALTIME_COARSE | 1 << CLOCK_MONOTONIC_COARSE)
#define HERE                                                                                       \
        (BY_DATE | COARSE | 1 << CLOCK_MONOTONIC | 1 << CLOCK_MONOTONIC_RAW | 1 << CLOCK_BOOTTIME)

/* Clocks that are not in the page, or do not exist, are left to the kernel. */
static inline __attribute__((always_inline)) bool is_here(int clock)
{
        return (unsigned)clock < 32 && HERE >> clock & 1;
}

static inline __attribute__((always_inline)) uint64_t moment_of(int clock)
{
        struct clock_reading r = clock_read(PAGE, tsc);
        uint64_t moment = COARSE >> clock & 1 ? r.moment : clock_moment(r);
        return BY_DATE >> clock & 1 ? moment : moment - ((uint64_t)PAGE->boot << 32);
}

BODY int clock_gettime_to(int clock, struct timespec *to, const bool checked)
{
        if (!is_here(clock))
                return (int)kernel_call(NUMBER_clock_gettime, clock, to);
        uint64_t now = moment_of(clock);
        GIVE(to->seconds, moment_seconds(now));
        GIVE(to->nanoseconds, moment_parts(now, NANOSECONDS));
        return 0;
fault:
        return -EFAULT;
}

BODY int clock_getres_to(int clock, struct timespec *to, const bool checked)
{
        if (!is_here(clock) || COARSE >> clock & 1 || !PAGE->multiplier)
                return (int)kernel_call(NUMBER_clock_getres, clock, to);
        if (to) {
                GIVE(to->seconds, 0);
                GIVE(to->nanoseconds, 1);
        }
        return 0;
fault:
        return -EFAULT;
}

FUNCTION(int, gettimeofday, (struct timeval * to, struct timezone *zone), to, zone)
FUNCTION(long, time, (long *to), to)
FUNCTION(int, getcpu, (unsigned *cpu, unsigned *node), cpu, node)
FUNCTION(int, clock_gettime, (int clock, struct timespec *to), clock, to)
FUNCTION(int, clock_getres, (int clock, struct timespec *to), clock, to)
