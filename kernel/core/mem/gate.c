/* gate.c - the gate page of trusted programs. */
#include "mem/frame.h"
#include "mem/space.h"

extern char gate_trusted_image[], gate_trusted_size[];

void space_map_trusted_gate(void)
{
        for (uintptr_t at = 0; at < (uintptr_t)gate_trusted_size; at += PAGE_SIZE)
                space_map_kernel(GATE_TRUSTED + at, PHYSICAL(gate_trusted_image) + at, 0);
}
