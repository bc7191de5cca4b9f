/* alternatives.h - code that the boot writes into its places: time stamps' fences, STAC and CLAC,
 * what clears the x87 pointers.
 */
#ifndef TOLLGATE_CPU_ALTERNATIVES_H
#define TOLLGATE_CPU_ALTERNATIVES_H

#include <stdbool.h>

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

void smap_sites_enable(void);    /* STAC and CLAC into their places */
void pointer_sites_enable(void); /* fpu_pointers_forget() does so from here on */

#endif
