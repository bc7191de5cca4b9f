/*
 * ways.h - the ways in that are open, and where each leads: all that a switch between programs of
 * different origins exchanges.
 *
 * For threads that have chosen nothing they are made once, for each origin. For one that has chosen
 * a row, or registered for stamps, they are made each time when it comes to run.
 */
#ifndef TOLLGATE_CORE_ENTRY_WAYS_H
#define TOLLGATE_CORE_ENTRY_WAYS_H

#include "cpu/current.h"
#include "cpu/descriptor.h"
#include "gates.h"
#include "origin.h"

struct ways {
        struct gates gates;
        uint32_t sysenter_cs;  /* IA32_SYSENTER_CS; 0 = shut: SYSENTER is #GP, wherever EIP leads */
        uintptr_t sysenter_ip; /* IA32_SYSENTER_EIP */
        uintptr_t landing;     /* where SYSEXIT leads, of that EIP */
        uintptr_t direct;      /* the kernel half that trusted programs call */
};

/* Whether programs see the rows of a set, by the end of its id; before somebody says so none is
 * there. */
extern bool (*row_set_asked)(const char *set);
void ways_init(void);
extern bool cpu_sysenter;                 /* IA32_SYSENTER_ESP goes with the process's stack */
extern uintptr_t cpu_landing, cpu_direct; /* of the ways that the processor has */

/* Whether the program runs on a table of pages of its own: then every way in begins with a stub. */
extern bool ways_isolated;

/* The ways of threads that have chosen nothing. */
extern struct ways ways_usual[ORIGINS_MOST];

/* From the usual ones of another origin to these; one of the two may be compat's. A WRMSR costs
 * more than to see that there is nothing to write; what programs at CPL 3 cannot reach stays. */
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

/* These, whatever was there before. */
void ways_load(const struct ways *ways);
/* The rows that a thread has chosen. They may be changed until the next are loaded. */
struct selection;
struct ways *ways_load_own(enum origin origin, const struct selection *armed);
/* Sets the protection of trusted programs' gates, now and later. */
void ways_protect(enum protection protection);

#endif
