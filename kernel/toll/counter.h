/* counter.h - the unit of the time-stamp counter on this machine. */
#ifndef TOLLGATE_TOLL_COUNTER_H
#define TOLLGATE_TOLL_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct counter {
        const char *unit; /* "instructions", "host ticks" or "cycles" */
        bool exact;       /* a loop of known length reads its length, every time */
        bool readable;    /* it runs, and forward */
        bool insisted;    /* a hypervisor is beneath, and a person calls its ticks cycles */
        uint64_t hertz;   /* 0 = not known, or no frequency (instructions); main.c asks the clock */
        unsigned offset;  /* instructions that a sample reads too many; main.c asks, where exact */
};

/* Tries the counter on loops of known length: an emulator that counts instructions reads exactly
 * their number; all else under an emulator is the host's time, not this processor's. `emulated`:
 * whoever booted the machine says that it is one; CPUID need not. Beneath a hypervisor a tick is no
 * cycle, unless a person `insists`. */
struct counter counter_try(bool emulated, bool insists);

/* An emulator may count exactly, and each single sample read some instructions more than lie in it:
 * so many, if two loops of different known lengths agree on it each time. Else 0, and the controls
 * of the programs, which take it off, do not hold. `read` as control_read() (toll/control.h). */
unsigned counter_offset(int64_t (*read)(unsigned rounds));

#endif
