/* image.h - the images of functions that programs call (clock/vdso/): where they lie. */
#ifndef TOLLGATE_CLOCK_IMAGE_H
#define TOLLGATE_CLOCK_IMAGE_H

#include <stdbool.h>
#include "arch.h"
#include "origin.h"

#define VDSO_PAGES 2

extern const struct vdso {
        const uint8_t *bytes;   /* in the kernel */
        uintptr_t at, clock_at; /* in a program: the image, and the page of the time */
        uintptr_t fixups, fixups_end, fences, fences_end;
        uintptr_t way_in;       /* __kernel_vsyscall; 0 in 64 bits */
        uintptr_t sigreturn[2]; /* without SA_SIGINFO, and with it; 0 in 64 bits */
} vdsos[ORIGIN_TRUSTED + 1];

void vdso_init(void); /* before the images are read-only */
bool vdso_map(uintptr_t space, enum origin origin);

/* Whether an exception is one that a function of the image is to return -EFAULT for. Below
 * VDSO_LOWEST there is none. */
bool vdso_fixed_up(struct frame *frame, enum origin origin);

#endif
