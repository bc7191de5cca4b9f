/* own.c - a program's state besides its general registers. */
#include "own.h"
#include "fpu.h"
#include "lib.h"
#include "linux.h"
#include "toll.h"

#define SEED 2 /* rounding mode up: differs from execve()'s initial state */

enum { DS, ES, FS, GS, SEGMENTS };

struct own {
        struct fpu fpu;
        uint16_t selectors[SEGMENTS];
        uintptr_t bases[2]; /* bases of FS, GS; in a 32-bit program the first words there */
        long kernel;
};

static struct own given;
static uintptr_t words[2] = {0x0f5f5f5f, 0x06565656};

static void look(struct own *to)
{
        uint16_t *s = to->selectors;
        fpu_save(&to->fpu);
        __asm__("mov %%ds, %0; mov %%es, %1; mov %%fs, %2; mov %%gs, %3"
                : "=r"(s[DS]), "=r"(s[ES]), "=r"(s[FS]), "=r"(s[GS]));
        if (WIDE) {
                toll_call(NUMBER_arch_prctl, ARCH_GET_FS, &to->bases[0]);
                toll_call(NUMBER_arch_prctl, ARCH_GET_GS, &to->bases[1]);
        } else {
                __asm__("mov %%fs:0, %0; mov %%gs:0, %1" : "=r"(to->bases[0]), "=r"(to->bases[1]));
        }
        to->kernel = toll_call(NUMBER_toll_checksum);
}

/* A 32-bit program's selector for a descriptor with this base. */
static uint16_t selector(uintptr_t *base)
{
        static uint32_t entries[2] = {(uint32_t)-1, (uint32_t)-1};
        uint32_t *entry = &entries[base - words];
        struct user_desc own = {*entry, (uint32_t)(uintptr_t)base, 0xfffff, USER_DESC_FLAT};
        toll_call(NUMBER_set_thread_area, &own);
        *entry = own.entry;
        return (uint16_t)(own.entry << 3 | 3);
}

void own_load(void)
{
        fpu_fill(&given.fpu, SEED);
        fpu_load(&given.fpu);
        if (WIDE) {
                __asm__ volatile("mov %%ss, %%eax; mov %%eax, %%ds; mov %%eax, %%es" : : : "eax");
                toll_call(NUMBER_arch_prctl, ARCH_SET_FS, &words[0]);
                toll_call(NUMBER_arch_prctl, ARCH_SET_GS, &words[1]);
        } else {
                __asm__ volatile("mov %0, %%fs" : : "r"(selector(&words[0])));
                __asm__ volatile("mov %0, %%gs" : : "r"(selector(&words[1])));
        }
        look(&given);
}

const char *own_changed(char *to, size_t size)
{
        static const char *const parts[] = {"x87 control word", "x87", "MXCSR", "XMM"};
        static const char *const segments[] = {"ds", "es", "fs", "gs"};
        struct own now;
        int at = 0;
        look(&now);
        unsigned fpu = fpu_differs(&given.fpu, &now.fpu);
        snprintf(to, size, "nothing");
#define NAME(differs, ...)                                                                         \
        if (differs)                                                                               \
        at += snprintf(to + at, size - (size_t)at, __VA_ARGS__)
        for (unsigned i = 0; i < 4; i++)
                NAME(fpu >> i & 1, "%s%s", at ? ", " : "", parts[i]);
        for (unsigned i = 0; i < SEGMENTS; i++)
                NAME(now.selectors[i] != given.selectors[i], "%s%s", at ? ", " : "", segments[i]);
        for (unsigned i = 0; i < 2; i++)
                NAME(now.bases[i] != given.bases[i], "%sthe base of %s", at ? ", " : "",
                     segments[FS + i]);
        NAME(now.kernel != given.kernel, "%sthe kernel's tables or registers", at ? ", " : "");
#undef NAME
        return to;
}
