/* rows.c - the kinds of random deeds, as rows of the driver. */
#include "torture.h"

extern const struct row insn_row, crowd_row, program_row, hostile_row;
const struct row *const all_rows[] = {&insn_row, &crowd_row, &program_row, &hostile_row, 0};
