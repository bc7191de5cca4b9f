/* copiers.h - architecture-specific copies. One writes through FS, as Linux 2.0 wrote to user space
 * (the box at the end of Rubini's article). FS is flat here, so only the method is measured. */
#pragma once
#include <stddef.h>

#define REP_MOVS_WORDS "rep movsl"

#define THROUGH_FS_MISSING NULL

/* Whole words, one or more. */
static inline void copy_through_fs(void *to, const void *from, size_t size)
{
        size_t words = size / sizeof(long);
        long word;
        __asm__ volatile(
                "push %%ds; pop %%fs;"
                "1: mov (%1), %3; mov %3, %%fs:(%0); add %4, %0; add %4, %1; dec %2; jnz 1b"
                : "+r"(to), "+r"(from), "+r"(words), "=&r"(word)
                : "i"(sizeof(long))
                : "memory", "cc");
}
