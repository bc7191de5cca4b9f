/* places.h - addresses outside of any program's memory, i386. */
#pragma once
#include "layout.h"

/* Under a 64-bit Linux 32-bit programs have nearly 4 GiB, but nothing at these addresses. */
#define PLACES(PLACE)                                                                              \
        PLACE("null", 0)                                                                           \
        PLACE("page_0_end", 0xfff)                                                                 \
        PLACE("kernel", KERNEL_BASE)                                                               \
        PLACE("kernel_text", KERNEL_BASE + 0x101000)                                               \
        PLACE("kernel_memory", KERNEL_BASE + 0x1000000)                                            \
        PLACE("window", WINDOW_BASE + 0x1000)                                                      \
        PLACE("stamps", PROBE_ALIAS)                                                               \
        PLACE("top", 0xffffffff)

#define SWEEP_START KERNEL_BASE
#define SWEEP_END WINDOW_END
