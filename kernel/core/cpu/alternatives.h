/* alternatives.h - code that the boot writes into its places: time stamps' fences, STAC and CLAC,
 * what clears the x87 pointers.
 */
#ifndef TOLLGATE_CORE_CPU_ALTERNATIVES_H
#define TOLLGATE_CORE_CPU_ALTERNATIVES_H

#include <stdbool.h>
#include <stdint.h>

/* The fences of the time stamps, in entry/asm.inc's words. */
enum fence {
        FENCE_none,
        FENCE_lfence,
        FENCE_rdtscp,
        FENCE_cpuid,
        FENCES
};
extern const char *const fence_names[FENCES];
enum fence fence_best(void);
bool fence_possible(enum fence fence);
void fence_set(enum fence fence); /* rewrites every stamp */
extern enum fence fence_boot;     /* the one a program starts with */

/* A near jump or call to `to` at `at`, where five bytes are free for it: text_exchange() puts it
 * there, and the next time the old bytes. */
#define CALL_NEAR 0xe8
#define JUMP_NEAR 0xe9
#define JUMP_SIZE 5
struct text_jump {
        uint8_t *at, opcode;
        uintptr_t to;
        uint8_t kept[JUMP_SIZE];
        bool written;
};
void text_exchange(struct text_jump *jump);

void smap_sites_enable(void);    /* STAC and CLAC into their places */
void pointer_sites_enable(void); /* fpu_pointers_forget() does so from here on */

#endif
