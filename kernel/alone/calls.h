/* calls.h - the calls of the kernel with one program, as C functions (sys.def). */
#pragma once
#include "toll/calls.h"

call sys_exit, sys_exit_group, sys_write;

#define direct_toll_hand direct_nosys /* (arch's tables.c) */
