/* vdso.c - the functions that 64-bit programs call (functions.h). */
#define NO_FENCE "lfence"

/* The system call, for cases that the page cannot answer. */
static inline __attribute__((always_inline)) long kernel_call(long number, long a, const void *b)
{
        __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b) : "rcx", "r11", "memory");
        return number;
}

#include "clock/vdso/functions.h"
