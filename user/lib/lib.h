/* lib.h - shared by all programs. They use no libc, so the same binary runs on Linux. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/json.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "numbers.h"
#include "toll.h"

#define WIDE (sizeof(void *) == 8) /* a 64-bit program */

/* Linux's system calls, with up to six arguments of any type; missing ones are 0. */
long system_call(long number, ...);
long toll_call(long number, ...); /* by INT 80h, whatever is armed */
#define system_call(...) CALL_BY(system_call, __VA_ARGS__)
#define toll_call(...) CALL_BY(toll_call, __VA_ARGS__)
#define CALL_BY(way, ...) CALL_WITH_SIX(way, __VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#define CALL_WITH_SIX(way, number, a, b, c, d, e, f, ...)                                          \
        way(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#define TIMER_USUAL 100 /* interrupts a second, for toll_timer */
#define TIMER_FAST 20000
#define NOWHERE 0x7e000000ul /* never mapped in any program */

long toll_hand(long tid, long word); /* kernel/toll.h */
long toll_hand_by(const void *half, long tid, long word);

/* clone() with a stack of its own, on which run() starts; it must not return. The thread's id is
 * written to *tid if `flags` request that. */
long thread_start(long flags, void *stack_top, int *tid, void (*run)(void));

/* Calls through a user half of the gate page; gate_batch makes `rounds` calls (one or more). */
long gate_call(const void *half, long number);
void gate_batch(const void *half, long number, unsigned long rounds);

/* Sets the call for print() and records: toll_call if the usual mechanism may have a row that is
 * not a system call. */
void output_through(long (*call)(long, ...));
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes a record in one write; prints a message if it is too long. */
void print_record(struct json *json);

/* The value of the argument "name=value", or NULL. */
const char *option(char **argv, const char *name);
unsigned option_number(char **argv, const char *name, unsigned otherwise);

const char *program_origin(const char *path); /* user, compat or trusted: by its directory */

/* Reports a check as a KTAP line and a record. Returns `ok`. Exit status: see check_status(). */
bool check(bool ok, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void status_noisy(void); /* a figure is unreliable, or a control has changed */
int check_status(void);  /* prints the plan; 0 if all checks passed, TOLL_NOISY, 1 */

/* The kernel's current counts. */
static inline struct toll_counts counts_now(void)
{
        struct toll_counts counts = {0};
        toll_call(NUMBER_toll_row, TOLL_COUNTS, &counts);
        return counts;
}

/* The index of the row whose id ends so, such as "/int/bare"; -1: this program has none. */
static inline long row_find(const char *end, struct toll_row *row)
{
        for (long i = 0; !toll_call(NUMBER_toll_row, i, row); i++)
                if (!row->missing[0] && !strcmp(strchr(row->id, '/'), end))
                        return i;
        return -1;
}

/* Selects that row. Its user half, NULL: there is none. */
static inline const void *row_choose(const char *end)
{
        struct toll_row row;
        long index = row_find(end, &row);
        if (index < 0)
                return NULL;
        toll_call(NUMBER_toll_select, index, FLAVOUR_clean);
        return (const void *)(uintptr_t)row.clean;
}

static inline bool at_cpl_0(void)
{
        uintptr_t cs;
        __asm__("mov %%cs, %0" : "=r"(cs));
        return !(cs & 3);
}

static inline uint64_t tsc(void)
{
        uint32_t low, high;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
}
