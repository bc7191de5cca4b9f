/* segments.c - FS and GS, i386. */
#include "context.h"
#include "cpu/descriptor.h"

void selectors_load(const uint16_t each[2]); /* switch.asm */

void segments_change(const struct segments *to)
{
        descriptor_set_tls(to->tls);
        selectors_load(to->each);
}
