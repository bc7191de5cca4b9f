/* calls.h - the system calls as C functions (sys.def). */
#pragma once
#include "toll/calls.h"

#define CALL_FILE "sys.def"
#include "toll/declare.def"

call direct_toll_hand; /* handoff.c: for the direct call, which keeps interrupts on */
