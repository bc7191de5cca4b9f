/* places.h - addresses outside of any program's memory, amd64. */
#pragma once
#include "layout.h"

#define PLACES(PLACE)                                                                              \
        PLACE("null", 0)                                                                           \
        PLACE("page_0_end", 0xfff)                                                                 \
        PLACE("last_page", 0x7ffffffff000)                                                         \
        PLACE("last_bytes", 0x7fffffffffff)                                                        \
        PLACE("not_canonical", 0x800000000000)                                                     \
        PLACE("not_canonical_middle", 0x8000000000000000)                                          \
        PLACE("not_canonical_end", 0xffff7fffffffffff)                                             \
        PLACE("high_half", 0xffff800000000000)                                                     \
        PLACE("kernel", KERNEL_BASE)                                                               \
        PLACE("kernel_text", KERNEL_BASE + 0x101000)                                               \
        PLACE("kernel_memory", KERNEL_BASE + 0x1000000)                                            \
        PLACE("window", WINDOW_BASE + 0x1000)                                                      \
        PLACE("window_end", WINDOW_END - 0x1000)                                                   \
        PLACE("stamps", PROBE_ALIAS)                                                               \
        PLACE("trusted_gate", GATE_TRUSTED)                                                        \
        PLACE("top", 0xffffffffffffffff)

#define SWEEP_START KERNEL_BASE
#define SWEEP_END WINDOW_END
