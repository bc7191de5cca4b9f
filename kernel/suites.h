/* suites.h - the purpose of a boot: runs of suites. */
#ifndef TOLLGATE_SUITES_H
#define TOLLGATE_SUITES_H

#include "boot.h"
#include "cpu/alternatives.h"
#include "toll/counter.h"

/* The run that the command line asks for, then the end that then= names: a stop, a reset, or a
 * person's menu and the choice there. */
_Noreturn void suites_run(const struct boot_info *information, const struct counter *counts,
                          enum fence chosen);

#endif
