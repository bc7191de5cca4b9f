/* programs.c - the suite `toll` for 64 and for 32 bits, amd64. */
#include "programs.h"
#include <stddef.h>

extern const uint8_t toll_start[], toll_end[], toll32_start[], toll32_end[];

const struct program programs[] = {{"/bin/toll", toll_start, toll_end, false},
                                   {"/compat/toll", toll32_start, toll32_end, false},
                                   {"/trusted/toll", toll_start, toll_end, true},
                                   {NULL, NULL, NULL, false}};
