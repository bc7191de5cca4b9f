/*
 * user.h - the program's memory word by word, without a copy between: for what must be short.
 *
 * The bounds are the caller's to check first (user_inside). Between user_open() and user_close()
 * SMAP lets the kernel in; a fault goes to the label `failed`, which closes too.
 */
#ifndef TOLLGATE_MEM_USER_H
#define TOLLGATE_MEM_USER_H

#include "mem/memory.h"
#include "mem/space.h"
#include "proc/thread.h"

/* user_outside() in few instructions */
static inline bool user_inside(uintptr_t address, size_t size)
{
        uintptr_t limit = cpu_current->limit;
        return address <= limit && size <= limit - address;
}

/* The instruction at 1: goes on at a label of C if it faults (trap/dispatch.c). */
#define USER_FIXUP(failed)                                                                         \
        ".pushsection .fault_fixups, \"a\"; .dc.a 1b, %l[" #failed "]; .popsection"

#define USER_PUT(place, value, failed)                                                             \
        do {                                                                                       \
                __typeof__(place) put_ = (__typeof__(place))(value);                               \
                __asm__ goto("1: mov %1, %0;" USER_FIXUP(failed)                                   \
                             :                                                                     \
                             : "m"(place), "r"(put_)                                               \
                             :                                                                     \
                             : failed);                                                            \
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

/* STAC and CLAC, written in where there is SMAP (cpu/alternatives.c) */
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

#endif
