/* frame.h - page frames: physical memory, 4 KiB at a time. */
#ifndef TOLLGATE_CORE_MEM_FRAME_H
#define TOLLGATE_CORE_MEM_FRAME_H

#include <stdbool.h>
#include "boot.h"

/* Physical memory in the direct map at KERNEL_BASE. */
#define DIRECT(physical) ((void *)(uintptr_t)((physical) + KERNEL_BASE))
#define PHYSICAL(pointer) ((uintptr_t)(pointer)-KERNEL_BASE)

/* Frees all memory that the boot information names, but for the image and the initrd. */
void frame_init(const struct boot_info *boot);

/* A zeroed frame's physical address, or 0 when there is none left. It has one user. */
uintptr_t frame_allocate(void);
uintptr_t frame_take(void); /* with whatever is in it */
/* For page faults: these two look at frames that need clearing only. 0 is to be asked for again
 * where frame_refill() is true. */
uintptr_t frame_allocate_ready(void);
uintptr_t frame_copy(uintptr_t frame); /* a new frame with the same contents */
bool frame_refill(void);               /* frames of zeros become such as others */
void frame_share(uintptr_t frame);     /* one user more */
void frame_free(uintptr_t frame);      /* one user less: free when the last one goes */
/* For page tables: they are zeros again when they go, and need not be cleared for the next. */
uintptr_t frame_of_zeros(void);         /* as frame_allocate() */
void frame_free_zeros(uintptr_t frame); /* its one user's */
unsigned frame_users(uintptr_t frame);
/* Clears a whole page, or copies one to another. */
void page_clear(void *page);
void page_copy(void *to, const void *from);
size_t frame_count(void);  /* free frames */
extern size_t frame_total; /* that were free at the boot */

extern uintptr_t memory_top; /* end of the memory that the direct map shows */

#endif
