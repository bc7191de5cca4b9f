/* nops.h - no-operations by size (SDM 2B, NOP, "Recommended Multi-Byte Sequence"). */
#ifndef TOLLGATE_CORE_ARCH_AMD64_NOPS_H
#define TOLLGATE_CORE_ARCH_AMD64_NOPS_H

#include <stdint.h>
#include "layout.h"

#define NOP_MAX 7
static const uint8_t nops[NOP_MAX + 1][NOP_MAX] = {
        {0},
        {0x90},
        {0x66, 0x90},
        {0x0f, 0x1f, 0x00},
        {0x0f, 0x1f, 0x40, 0x00},
        {0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
        {0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
};

extern char gate_image[], gate32_image[], gate_trusted_image[];

/* Address in the kernel's image of code that is linked at `at`. */
static inline uint8_t *image_of(uintptr_t at)
{
        if (at >= GATE_PAGE)
                return (uint8_t *)(at - GATE_PAGE + (uintptr_t)gate_image);
        if (at >= GATE_TRUSTED)
                return (uint8_t *)(at - GATE_TRUSTED + (uintptr_t)gate_trusted_image);
        if (at < KERNEL_BASE)
                return (uint8_t *)(at - GATE_PAGE32 + (uintptr_t)gate32_image);
        return (uint8_t *)at;
}

#endif
