/* calls.h - the calls of the kernel with one program, as C functions (sys.def). */
#ifndef TOLLGATE_ALONE_CALLS_H
#define TOLLGATE_ALONE_CALLS_H

#include "toll/calls.h"

call sys_exit, sys_exit_group, sys_write;

#define direct_toll_hand direct_nosys /* (arch's tables.c) */

#endif
