/* segments.c - FS and GS, i386. */
#include "arch/segments.h"
#include "context.h"
#include "gates.h"

void segments_change(const struct segments *to)
{
        for (unsigned i = 0; i < TLS_ENTRIES; i++)
                gdt[TLS_FIRST + i] = to->tls[i];
        SEGMENT_LOAD(fs, to->each[0]);
        SEGMENT_LOAD(gs, to->each[1]);
}
