/* programs.c - the suite `toll`, i386. */
#include "programs.h"
#include <stddef.h>

extern const uint8_t toll_start[], toll_end[];

const struct program programs[] = {{"/bin/toll", toll_start, toll_end, false},
                                   {"/trusted/toll", toll_start, toll_end, true},
                                   {NULL, NULL, NULL, false}};
