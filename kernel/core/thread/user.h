/* user.h - the only access to a program's memory. In the kernel a program's address is a number,
 * not a pointer, so that no code dereferences it by mistake. The functions and macros here do, and
 * return whether that worked. tests/self/test_source.py checks every file.
 *
 * There                      read               written
 * one object                 user_get           user_put         sizeof its type
 * words of the program's     user_get_words     user_put_words   4 or 8 bytes, by program
 * bytes, as many as it says  user_read          user_write       data of read(), write()
 * one word, without a copy   USER_GET           USER_PUT         for short paths: see there */
#pragma once
#include <stdbool.h>
#include "errno.h"
#include "mem/memory.h"
#include "thread/thread.h"

/* Whether this range is below the current program's limit: the only check of a length from a
 * program. */
static inline bool user_inside(uintptr_t address, size_t size)
{
        uintptr_t limit = cpu_current->limit;
        return address <= limit && size <= limit - address;
}

/* The address of an element of a program's array. On overflow it is an address outside of every
 * program. */
static inline uintptr_t user_element(uintptr_t array, size_t index, size_t size)
{
        uintptr_t at;
        return __builtin_mul_overflow(index, size, &at) || __builtin_add_overflow(array, at, &at)
                       ? UINTPTR_MAX
                       : at;
}

/* All return 0 or -EFAULT; on failure the copied bytes are undefined. */
#define user_get(to, from) user_read((to), (from), sizeof *(to))
#define user_put(to, from) user_write((to), (from), sizeof *(from))
int user_read(void *to, uintptr_t from, size_t size);
int user_write(uintptr_t to, const void *from, size_t size);
/* When reading, 32-bit words are extended by zeros. */
int user_get_words(uintptr_t *to, uintptr_t from, unsigned count);
int user_put_words(uintptr_t to, const uintptr_t *from, unsigned count);
/* The same without a bounds check (call user_inside first): for a file's reads and writes. */
size_t user_copy(void *to, const void *from, size_t count); /* arch/switch.asm */
static inline int user_read_within(void *to, uintptr_t from, size_t size)
{
        return user_copy(to, (const void *)from, size) ? -EFAULT : 0;
}
static inline int user_write_within(uintptr_t to, const void *from, size_t size)
{
        return user_copy((void *)to, from, size) ? -EFAULT : 0;
}
/* Reads code that the program has just executed, also in the gate page: no limit applies. */
int user_read_code(void *to, uintptr_t from, size_t size);

/*
 * Word by word: the caller checks the bounds first (user_inside). user_open() and user_close() lift
 * SMAP; a fault jumps to the label `failed`, which must close, too.
 */

/* The program's address as an operand of USER_GET, USER_PUT or USER_DO; no other code dereferences
 * it. */
#define USER(type, address) ((type *)(uintptr_t)(address))

/* A fault of the instruction at 1: continues at a C label (trap/dispatch.c). */
#define USER_FIXUP(failed)                                                                         \
        ".pushsection .fault_fixups, \"a\"; .dc.a 1b, %l[" #failed "]; .popsection"

#define USER_MOVE(move, place, value, failed)                                                      \
        __asm__ goto("1: " move " %1, %0;" USER_FIXUP(failed)                                      \
                     :                                                                             \
                     : "m"(place), "re"(value)                                                     \
                     :                                                                             \
                     : failed)

/* (The length by name: not every compiler accepts %z in an instruction.) */
#define USER_PUT(place, value, failed)                                                             \
        do {                                                                                       \
                __typeof__(place) put_ = (__typeof__(place))(value);                               \
                if (sizeof put_ == 8)                                                              \
                        USER_MOVE("movq", place, put_, failed);                                    \
                else if (sizeof put_ == 4)                                                         \
                        USER_MOVE("movl", place, put_, failed);                                    \
                else if (sizeof put_ == 2)                                                         \
                        USER_MOVE("movw", place, put_, failed);                                    \
                else                                                                               \
                        USER_MOVE("movb", place, put_, failed);                                    \
        } while (0)

#define USER_GET(to, place, failed)                                                                \
        do {                                                                                       \
                __typeof__(((void)0, place)) got_;                                                 \
                __asm__ goto("1: mov %1, %0;" USER_FIXUP(failed)                                   \
                             : "=r"(got_)                                                          \
                             : "m"(place)                                                          \
                             :                                                                     \
                             : failed);                                                            \
                (to) = (__typeof__(to))got_;                                                       \
        } while (0)

/* An instruction with one memory operand: FXSAVE and the like */
#define USER_DO(instruction, place, failed)                                                        \
        __asm__ goto("1: " instruction " %0;" USER_FIXUP(failed) : : "m"(place) : "memory" : failed)

/* STAC and CLAC, patched in where there is SMAP (cpu/alternatives.c) */
#define USER_SMAP_SITE(code)                                                                       \
        __asm__ volatile("1: nop; nop; nop; .pushsection .smap_sites, \"a\"; .dc.a 1b, " #code     \
                         "; .popsection"                                                           \
                         :                                                                         \
                         :                                                                         \
                         : "memory")

static inline void user_open(void)
{
        USER_SMAP_SITE(0xcb010f);
}

static inline void user_close(void)
{
        USER_SMAP_SITE(0xca010f);
}
