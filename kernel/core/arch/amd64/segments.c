/* segments.c - DS, ES, FS, GS and the hidden bases of the last two, amd64. */
#include "context.h"
#include "cpu/msr.h"
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
        LOAD(ds, to->each[0]);
        LOAD(es, to->each[1]);
        LOAD(fs, to->each[2]);
        LOAD(gs, to->each[3]);
        base_load(to->each[2], IA32_FS_BASE, &to->fs_base);
        base_load(to->each[3], IA32_GS_BASE, &to->gs_base);
}
