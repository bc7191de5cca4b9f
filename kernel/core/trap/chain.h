/* chain.h - records the vectors taken, while a program asks for it (kernel/toll.h). */
#pragma once
#include <stdbool.h>
#include "arch.h"
#include "toll.h"

void chain_add(unsigned vector, const struct frame *frame);
void chain_end(unsigned end); /* how the last one ended, if that cannot be seen later */

/* The recorded chain; starts a new one if `on`. */
const struct toll_chain *chain_record(bool on);
