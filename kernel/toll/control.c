/* control.c - runs a trusted program's user halves in the kernel: they need no stack. */
#include "toll/control.h"
#include "entry/entry.h"
#include "mem/frame.h"
#include "mem/space.h"

int64_t control_read(unsigned rounds)
{
        static volatile uint64_t stamps[PAGE_SIZE / sizeof(uint64_t)]
                __attribute__((aligned(PAGE_SIZE)));
        const struct control *control = control_of(ORIGIN_TRUSTED);
        const void *const *half = !rounds                 ? control->pair
                                  : rounds == LOOP_ROUNDS ? control->loop
                                                          : control->twice;
        space_set_probe(PHYSICAL(stamps), PHYSICAL(stamps));
        ((void (*)(void))(uintptr_t)half[1])(); /* the probed copy */
        return (int64_t)(stamps[STAMP_MP8 / sizeof *stamps] - stamps[STAMP_MP1 / sizeof *stamps]);
}
