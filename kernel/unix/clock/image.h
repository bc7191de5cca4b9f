/* image.h - the images of functions that programs call (clock/vdso/). */
#pragma once
#include <stdbool.h>
#include "arch.h"
#include "errno.h"
#include "origin.h"

#define VDSO_PAGES 2

struct memory;

/* A store that may fault, and the address where its function continues then */
struct vdso_mark {
        uintptr_t at, to;
};

extern const struct vdso {
        const uint8_t *bytes;    /* the image in the kernel's memory */
        struct vdso_mark *marks; /* its fix-ups, sorted by address */
        uintptr_t at, clock_at;  /* program addresses: the image, and the page of the time */
        uintptr_t fixups, fixups_end, fences, fences_end;
        uintptr_t way_in;       /* __kernel_vsyscall; 0 for 64 bits */
        uintptr_t sigreturn[2]; /* without SA_SIGINFO, and with it; 0 for 64 bits */
} vdsos[ORIGIN_TRUSTED + 1];

void vdso_init(void); /* call before the images become read-only */
CAN_FAIL bool vdso_map(uintptr_t space, enum origin origin);
/* Makes whole pages at `to` a copy of the image, in an area that is AREA_READ_ONLY without a file;
 * no other is. 0 or -ENOMEM. */
CAN_FAIL int vdso_copy(struct memory *memory, uintptr_t to);

/* Above VDSO_LOWEST: whether an image's function must return -EFAULT for this exception, a page
 * fault or #GP at a store of a twin. The lowest mark is the first such store. */
/* The same, or the program called one of Linux's vsyscalls. */
bool vdso_is_marked(struct frame *frame, enum origin origin);
extern uintptr_t vdso_lowest_mark[ORIGIN_TRUSTED + 1];

static inline bool vdso_fixed_up(unsigned vector, struct frame *frame, enum origin origin)
{
        return frame->ip >= vdso_lowest_mark[origin] &&
               (vector == VECTOR_PF || vector == VECTOR_GP) && vdso_is_marked(frame, origin);
}
