/* segments.c - FS and GS, i386. */
#include "context.h"
#include "gates.h"
#include "thread/user.h"

/* A selector that is no longer valid becomes null. */
#define LOAD(segment, selector)                                                                    \
        do {                                                                                       \
                __label__ null;                                                                    \
                __asm__ goto("1: mov %0, %%" #segment ";" USER_FIXUP(null)                         \
                             :                                                                     \
                             : "m"(selector)                                                       \
                             :                                                                     \
                             : null);                                                              \
                break;                                                                             \
null:                                                                                              \
                __asm__ volatile("mov %0, %%" #segment : : "r"(0));                                \
        } while (0)

void segments_change(const struct segments *to)
{
        for (unsigned i = 0; i < TLS_ENTRIES; i++)
                gdt[TLS_FIRST + i] = to->tls[i];
        LOAD(fs, to->each[0]);
        LOAD(gs, to->each[1]);
}
