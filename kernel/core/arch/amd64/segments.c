/* segments.c - DS, ES, FS, GS and the hidden bases of the last two, amd64. */
#include "context.h"
#include "cpu/msr.h"
#include "gates.h"
#include "thread/user.h"
#include "calls.h"
#include "thread/posture.h"
#include "uapi.h"

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

long sys_arch_prctl(long code, long address, AFTER_2)
{
        struct segments *s = &cpu_current->segments;
        bool fs = code == ARCH_SET_FS || code == ARCH_GET_FS;
        uint64_t *base = fs ? &s->fs_base : &s->gs_base;
        uint64_t now; /* the program may have loaded a selector since */
        switch (code) {
        case ARCH_GET_FS:
        case ARCH_GET_GS:
                now = msr_read(fs ? IA32_FS_BASE : IA32_GS_BASE);
                return user_put((uintptr_t)address, &now);
        case ARCH_SET_FS:
        case ARCH_SET_GS:
                if ((uintptr_t)address >= USER_TOP)
                        return -EPERM;
                segments_save(s);
                s->each[fs ? 2 : 3] = 0;
                *base = (uint64_t)address;
                s->special = true;
                segments_change(s);
                posture_changed(cpu_current);
                return 0;
        default: return -EINVAL;
        }
}
