/* ways.h - which mechanisms are open and their targets: everything that a switch between programs
 * of different origins exchanges.
 *
 * Threads that have chosen nothing share one set per origin. For a thread that has chosen a row, or
 * registered for stamps, it is built each time the thread is scheduled. */
#pragma once
#include "cpu/current.h"
#include "cpu/descriptor.h"
#include "gates.h"
#include "origin.h"

struct ways {
        struct gates gates;
        uint32_t sysenter_cs;  /* IA32_SYSENTER_CS; 0 = closed: SYSENTER is #GP with any EIP */
        uintptr_t sysenter_ip; /* IA32_SYSENTER_EIP */
        uintptr_t landing;     /* SYSEXIT's target for that EIP */
        uintptr_t direct;      /* the kernel half that trusted programs call */
};

/* Whether programs see the rows of a set, given the end of its id; none while it is NULL. */
extern bool (*row_set_asked)(const char *set);
void ways_init(void);
extern bool cpu_sysenter;                 /* IA32_SYSENTER_ESP follows the process's stack */
extern uintptr_t cpu_landing, cpu_direct; /* copies of the loaded values */

/* Whether the program runs on a page table of its own: then every entry begins with a stub. */
extern bool ways_isolated;

/* The mechanisms of threads that have chosen nothing. */
extern struct ways ways_usual[ORIGINS_MOST];

/* Switches from another origin's usual mechanisms to these; one of the two may be compat's.
 * Comparing first is cheaper than a WRMSR. Gates that programs at CPL 3 cannot reach stay. */
static inline __attribute__((always_inline)) void ways_exchange(const struct ways *ways,
                                                                bool compat)
{
        cpu_trusted = ways->gates.trusted;
        gates_exchange(&ways->gates, compat);
        if (!cpu_sysenter)
                return;
        if (ways->sysenter_cs != (uint32_t)msrs_kept.IA32_SYSENTER_CS_kept)
                msr_write(IA32_SYSENTER_CS, ways->sysenter_cs);
        if (ways->sysenter_ip != (uintptr_t)msrs_kept.IA32_SYSENTER_EIP_kept) {
                msr_write(IA32_SYSENTER_EIP, ways->sysenter_ip);
                cpu_landing = ways->landing;
        }
}

/* Loads these, whatever was loaded before. */
void ways_load(const struct ways *ways);
/* The rows that a thread has chosen. They may be changed until the next load. */
struct selection;
struct ways *ways_load_own(enum origin origin, const struct selection *armed);
/* Sets the protection of trusted programs' gates, now and later. */
void ways_protect(enum protection protection);
