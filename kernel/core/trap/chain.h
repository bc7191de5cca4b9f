/* chain.h - the vectors that were taken, while a program asks for them (kernel/toll.h). */
#ifndef TOLLGATE_CORE_TRAP_CHAIN_H
#define TOLLGATE_CORE_TRAP_CHAIN_H

#include <stdbool.h>
#include "arch.h"
#include "toll.h"

void chain_add(unsigned vector, const struct frame *frame);
void chain_end(unsigned end); /* the end of the last one, if that cannot be seen after it */

/* The recorded chain; a new one begins if `on`. */
const struct toll_chain *chain_record(bool on);

#endif
