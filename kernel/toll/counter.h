/* counter.h - the unit of the time-stamp counter on this machine. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct counter {
        const char *unit; /* "instructions", "host ticks" or "cycles" */
        bool exact;       /* reads the length of a known loop correctly every time */
        bool readable;    /* it runs, and not backwards */
        bool insisted;    /* under a hypervisor, whose ticks a person declares to be cycles */
        uint64_t hertz;   /* 0 = unknown or no frequency (instructions); main.c asks the clock */
        unsigned offset;  /* excess instructions in each sample; main.c asks, if exact */
};

/* Tries the counter on loops of known length. An emulator that counts instructions reads exactly
 * their number; any other emulator's counter is the host's time, not this processor's. `emulated`:
 * the person at the boot says that it is an emulator; CPUID need not. Under a hypervisor a tick is
 * not a cycle, unless a person `insists`. */
struct counter counter_try(bool emulated, bool insists);

/* An emulator may count exactly, but read a fixed excess in each sample. Returns that excess, if
 * two loops of different known lengths agree on it every time. Otherwise 0, and the programs'
 * controls, which subtract it, fail. `read`: like control_read() (toll/control.h). */
unsigned counter_offset(int64_t (*read)(unsigned rounds));
