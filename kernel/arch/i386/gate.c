/* gate.c - the gate page of trusted programs: none so far. */
#include "mem/space.h"

void space_map_trusted_gate(void)
{
}
