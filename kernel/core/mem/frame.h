/* frame.h - page frames: physical memory, 4 KiB at a time. */
#pragma once
#include <stdbool.h>
#include "boot.h"

/* Physical memory in the direct map at KERNEL_BASE. */
#define DIRECT(physical) ((void *)(uintptr_t)((physical) + KERNEL_BASE))
#define PHYSICAL(pointer) ((uintptr_t)(pointer)-KERNEL_BASE)

/* Frees all memory in the boot information, except the image and the initrd. */
void frame_init(const struct boot_info *boot);

/* A zeroed frame's physical address, or 0 if none is free. It has one user. */
uintptr_t frame_allocate(void);
uintptr_t frame_take(void); /* a frame with undefined contents */
/* For page faults: these two use only frames that need clearing. If the result is 0 and
 * frame_refill() is true, ask again. */
uintptr_t frame_allocate_ready(void);
uintptr_t frame_copy(uintptr_t frame); /* a new frame with the same contents */
bool frame_refill(void);               /* makes zeroed frames available to the others */
void frame_share(uintptr_t frame);     /* adds a user */
void frame_free(uintptr_t frame);      /* removes a user; the last one frees it */
/* For page tables: their frames are all zeros again when freed, so they need no clearing. */
uintptr_t frame_of_zeros(void);         /* as frame_allocate() */
void frame_free_zeros(uintptr_t frame); /* frees a frame of a single user */
unsigned frame_users(uintptr_t frame);
/* Clears a whole page, or copies one to another. */
void page_clear(void *page);
void page_copy(void *to, const void *from);
size_t frame_count(void);  /* free frames */
extern size_t frame_total; /* free frames at boot */

extern uintptr_t memory_top; /* end of the memory in the direct map */
