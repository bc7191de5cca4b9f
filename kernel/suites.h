/* suites.h - a boot's purpose: running suites. */
#pragma once
#include "boot.h"
#include "cpu/alternatives.h"
#include "toll/counter.h"

/* Runs the command line's suites, then stops, resets, or shows the menu, according to then=. */
_Noreturn void suites_run(const struct boot_info *information, const struct counter *counts,
                          enum fence chosen);
