/* nops.h - no-operations by size, for a Pentium and later: 0F 1F is #UD there. */
#ifndef TOLLGATE_CORE_ARCH_I386_NOPS_H
#define TOLLGATE_CORE_ARCH_I386_NOPS_H

#include <stdint.h>
#include "layout.h"

#define NOP_MAX 7
static const uint8_t nops[NOP_MAX + 1][NOP_MAX] = {
        {0},
        {0x90},
        {0x89, 0xf6},             /* mov esi, esi */
        {0x8d, 0x76, 0x00},       /* lea esi, [esi + 0] */
        {0x8d, 0x74, 0x26, 0x00}, /* the same with a longer zero displacement */
        {0x90, 0x8d, 0x74, 0x26, 0x00},
        {0x8d, 0xb6, 0x00, 0x00, 0x00, 0x00},
        {0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00},
};

extern char gate_image[], gate_trusted_image[];

/* Address in the kernel's image of code that is linked at `at`. */
static inline uint8_t *image_of(uintptr_t at)
{
        if (at >= GATE_PAGE)
                return (uint8_t *)(at - GATE_PAGE + (uintptr_t)gate_image);
        if (at >= GATE_TRUSTED)
                return (uint8_t *)(at - GATE_TRUSTED + (uintptr_t)gate_trusted_image);
        return (uint8_t *)at;
}

#endif
