/* record.h - the first record of a run (docs/records.md). */
#pragma once
#include "boot.h"
#include "lib/json.h"
#include "toll/counter.h"

struct run_record {
        const struct boot_info *boot;
        const struct counter *counter;
        const char *fence;                       /* its name */
        const char *platform, *model, *emulator; /* labels from the command line */
        const char *line;                        /* the command line */
        const char *initrd;                      /* its SHA-256; "" = unknown or no initrd */
        const char *rate_by;                     /* the source of the TSC's rate; "" = none */
        uint64_t nominal, base, apic, rtc; /* rate by each reference clock, Hz; 0 = none ... */
        const uint64_t *window;            /* ... and by each window of the PIT */
        unsigned windows;
        int64_t quiet; /* counts after which a program's quiet ends; 0 = no limit, below 0 = unknown
                        * TSC rate */
        void (*state)(struct json *json, const struct boot_info *boot); /* NULL = not recorded */
};
void record_run(const struct run_record *run);
