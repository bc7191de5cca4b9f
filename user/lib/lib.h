/* lib.h - what the programs share. No host libc anywhere: the same binary runs on Linux. */
#ifndef TOLLGATE_LIB_H
#define TOLLGATE_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/json.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "numbers.h"

long system_call(long number, ...);
long toll_call(long number, ...); /* by INT 80h, whatever rows are armed */

long toll_hand(long tid, long word); /* kernel/toll.h */
long toll_hand_by(const void *half, long tid, long word);

/* clone() with a stack of its own, on which run() begins; it must not return. The thread's id is
 * written to *tid if `flags` say so. */
long thread_start(long flags, void *stack_top, int *tid, void (*run)(void));

/* Through a user half of the gate page; gate_batch makes `rounds` calls (one or more). */
long gate_call(const void *half, long number);
void gate_batch(const void *half, long number, unsigned long rounds);

/* What print() and records are written with: toll_call where the usual way in may be armed with a
 * row that is no system call. */
void output_through(long (*call)(long, ...));
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Writes a record in one write; says so if it was too long to be one. */
void print_record(struct json *json);

/* The value of "name=value" among the arguments, or NULL. */
const char *option(char **argv, const char *name);
unsigned option_number(char **argv, const char *name, unsigned otherwise);

/* A check, as a KTAP line and a record. Returns `ok`. The program's status is check_status(). */
bool check(bool ok, const char *name, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
int check_status(void); /* prints the plan; 0 if every check was ok */

static inline uint64_t tsc(void)
{
        uint32_t low, high;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
        return (uint64_t)high << 32 | low;
}

#endif
