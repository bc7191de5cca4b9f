/* segments.c - DS, ES, FS, GS and the hidden bases of the last two, amd64. */
#include "arch/segments.h"
#include "context.h"
#include "gates.h"

inline __attribute__((always_inline)) void segments_load(const struct segments *to)
{
        for (unsigned i = 0; i < TLS_ENTRIES; i++)
                gdt[TLS_FIRST + i] = to->tls[i];
        SEGMENT_LOAD(ds, to->each[0]);
        SEGMENT_LOAD(es, to->each[1]);
        SEGMENT_LOAD(fs, to->each[2]);
        SEGMENT_LOAD(gs, to->each[3]);
        base_load(to->each[2], IA32_FS_BASE, &to->fs_base);
        base_load(to->each[3], IA32_GS_BASE, &to->gs_base);
}

void segments_change(const struct segments *to)
{
        segments_load(to);
}
