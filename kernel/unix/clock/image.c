/* image.c - the images of functions that programs call, one for each origin. An image is mapped at
 * its link address, with the page of the time (clock/page.h). The pages are user or supervisor like
 * the program's. Every table in an image holds distances from the word itself. */
#include "clock/image.h"
#include "clock/clock.h"
#include "cpu/features.h"
#include "errno.h"
#include "lib/string.h"
#include "lib/table.h"
#include "mem/frame.h"
#include "mem/memory.h"
#include "mem/space.h"

#define FENCE_SIZE 3
#define VSYSCALLS 3 /* gettimeofday, time, getcpu */
#define VSYSCALL_SIZE 0x400

uintptr_t vdso_lowest_mark[ORIGIN_TRUSTED + 1];

/* The target of a word in a table, as a program's address */
static uintptr_t image_target(const struct vdso *vdso, uintptr_t word)
{
        int32_t distance;
        memcpy(&distance, vdso->bytes + (word - vdso->at), sizeof distance);
        return word + (uintptr_t)(intptr_t)distance;
}

static size_t marks_of(const struct vdso *vdso)
{
        return (vdso->fixups_end - vdso->fixups) / (2 * sizeof(int32_t));
}

static void sort_fixups(const struct vdso *vdso)
{
        struct vdso_mark *to = vdso->marks;
        for (uintptr_t word = vdso->fixups; word < vdso->fixups_end; word += 2 * sizeof(int32_t))
                *to++ = (struct vdso_mark){image_target(vdso, word),
                                           image_target(vdso, word + sizeof(int32_t))};
        table_sort((uintptr_t *)vdso->marks, (uintptr_t *)to, sizeof *to / WORD);
}

static void write_fences(const struct vdso *vdso)
{
        static const uint8_t lfence[FENCE_SIZE] = {0x0f, 0xae, 0xe8};
        for (uintptr_t word = vdso->fences; word < vdso->fences_end; word += sizeof(int32_t))
                memcpy((uint8_t *)(uintptr_t)vdso->bytes + (image_target(vdso, word) - vdso->at),
                       lfence, FENCE_SIZE);
}

void vdso_init(void)
{
        for (size_t i = 0; i < sizeof vdsos / sizeof *vdsos; i++) {
                sort_fixups(&vdsos[i]);
                vdso_lowest_mark[i] = vdsos[i].marks->at;
                if (feature_has(FEATURE_SSE2))
                        write_fences(&vdsos[i]);
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

/* The functions address the page of the time absolutely, and one another relatively. */
int vdso_copy(struct memory *memory, uintptr_t to)
{
        const size_t size = VDSO_PAGES * PAGE_SIZE;
        int error = memory_map(memory, to, size, AREA_READ | AREA_EXECUTE | AREA_READ_ONLY);
        if (!error && !memory_fill(memory, to, vdsos[memory->origin].bytes, size)) {
                memory_unmap(memory, to, size);
                error = -ENOMEM;
        }
        return error;
}

/* Linux's vsyscall page is execute-only, which page tables cannot express. So nothing is mapped
 * there, and a program that calls one of the three continues in its image. */
static __attribute__((cold, noinline)) bool is_vsyscall(struct frame *frame, enum origin origin)
{
        uintptr_t at = frame->ip - VSYSCALL_PAGE;
        if (at % VSYSCALL_SIZE || at / VSYSCALL_SIZE >= VSYSCALLS)
                return false;
        frame->ip = vdsos[origin].at + PAGE_SIZE + at;
        return true;
}

bool vdso_is_marked(struct frame *frame, enum origin origin)
{
        const struct vdso *vdso = &vdsos[origin];
        const struct vdso_mark *m =
                table_find(vdso->marks, vdso->marks + marks_of(vdso), sizeof *m / WORD, frame->ip);
        if (!m || m->at != frame->ip)
                return VSYSCALL_PAGE && is_vsyscall(frame, origin);
        frame->ip = m->to;
        return true;
}
