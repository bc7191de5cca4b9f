/* record.h - the record that a run begins with (docs/records.md). */
#ifndef TOLLGATE_TOLL_RECORD_H
#define TOLLGATE_TOLL_RECORD_H

#include "boot.h"
#include "toll/counter.h"

struct run_record {
        const struct boot_info *boot;
        const struct counter *counter;
        const char *fence;                       /* its name */
        const char *platform, *model, *emulator; /* labels from the command line */
        const char *line;                        /* the command line */
        const char *initrd;                /* its SHA-256; "" = it says none, or there is none */
        const char *rate_by;               /* the source of the TSC's rate; "" = none */
        uint64_t nominal, base, apic, rtc; /* the rate by each witness, Hz; 0 = none ... */
        const uint64_t *window;            /* ... and each window of the PIT */
        unsigned windows;
        int64_t quiet; /* counts after which a program is quiet no longer; 0 = nothing ends it,
                        * below 0 = the TSC's rate is not known */
};
void record_run(const struct run_record *run);

#endif
