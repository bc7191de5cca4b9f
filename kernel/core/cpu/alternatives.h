/* alternatives.h - code that is patched at boot: time stamps' fences, STAC and CLAC, and FNINIT to
 * clear the x87 pointers. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fences of the time stamps, named as in entry/asm.inc. */
enum fence {
        FENCE_none,
        FENCE_lfence,
        FENCE_rdtscp,
        FENCE_cpuid,
        FENCE_both, /* LFENCE on both sides */
        FENCES
};
extern const char *const fence_names[FENCES];
enum fence fence_best(void);
bool fence_possible(enum fence fence);
void fence_set(enum fence fence); /* rewrites every stamp */
extern enum fence fence_boot;     /* used at a program's start */

/* Changes code, which is read-only for the kernel as well. */
void text_write(void *at, const void *code, size_t size);

/* A near jump or call from `at` to `to`. Five bytes at `at` must be free for it. text_exchange()
 * writes it there, and at its next call restores the old bytes. */
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

void smap_sites_enable(void);    /* writes STAC and CLAC into their places */
void pointer_sites_enable(void); /* makes fpu_pointers_forget() work from here on */
