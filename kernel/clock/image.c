/*
 * image.c - the images of functions that programs call, for each origin one: mapped where it is
 * linked, with the page of the time (clock/page.h), user pages or supervisor pages as the programs
 * are. Every table in an image holds distances from the word itself.
 */
#include "clock/image.h"
#include "clock/clock.h"
#include "cpu/features.h"
#include "lib/string.h"
#include "mem/frame.h"
#include "mem/space.h"

#define FENCE_SIZE 3

/* The word of a table, and what it leads to, as addresses in a program */
static uintptr_t target(const struct vdso *vdso, uintptr_t word)
{
        int32_t distance;
        memcpy(&distance, vdso->bytes + (word - vdso->at), sizeof distance);
        return word + (uintptr_t)(intptr_t)distance;
}

void vdso_init(void)
{
        static const uint8_t lfence[FENCE_SIZE] = {0x0f, 0xae, 0xe8};
        for (size_t i = 0; i < sizeof vdsos / sizeof *vdsos; i++) {
                const struct vdso *v = &vdsos[i];
                for (uintptr_t word = v->fences; word < v->fences_end; word += sizeof(int32_t))
                        if (feature_has(FEATURE_SSE2))
                                memcpy((uint8_t *)(uintptr_t)v->bytes + (target(v, word) - v->at),
                                       lfence, FENCE_SIZE);
        }
}

bool vdso_map(uintptr_t space, enum origin origin)
{
        const struct vdso *vdso = &vdsos[origin];
        pte_t user = origin == ORIGIN_TRUSTED ? 0 : PTE_USER;
        for (uintptr_t at = 0; at < VDSO_PAGES * PAGE_SIZE; at += PAGE_SIZE)
                if (!space_map(space, vdso->at + at, PHYSICAL(vdso->bytes) + at, user))
                        return false;
        return space_map(space, vdso->clock_at, PHYSICAL(&clock_frame), user | PTE_NX);
}

bool vdso_fixed_up(struct frame *frame, enum origin origin)
{
        const struct vdso *vdso = &vdsos[origin];
        for (uintptr_t word = vdso->fixups; word < vdso->fixups_end; word += 2 * sizeof(int32_t)) {
                if (target(vdso, word) != frame->ip)
                        continue;
                frame->ip = target(vdso, word + sizeof(int32_t));
                return true;
        }
        return false;
}
