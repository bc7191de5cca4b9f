/* protect.h - sets up processor state: protections, the FPU, SYSENTER and SYSCALL. */
#pragma once
#include <stdbool.h>
#include "cpu/features.h"
#include "origin.h"

void no_execute_init(void);  /* call before space_init: enables PTE_NX */
void protect_init(void);     /* call after it: SMEP, SMAP, UMIP, SSE */
bool lfence_needs_msr(void); /* AMD_DE_CFG has the bit */

/* The state a program starts with: x87 as FNINIT leaves it, all registers 0, MXCSR 1F80h
 * (System V ABI, "Process Initialization"). */
void fpu_reset(void);
extern const struct fxsave_image {
        uint16_t control, status, tag;
        uint8_t reserved_6[18];
        uint32_t mxcsr;
        uint8_t reserved_28[484];
} __attribute__((aligned(16))) fpu_clean_image;
static inline void fpu_clean(void) /* fpu_reset() when the processor has FXSR */
{
        __asm__ volatile("fxrstor %0" : : "m"(fpu_clean_image));
}
void fpu_image(uint8_t area[512]); /* the initial state in the format of FXSAVE or FNSAVE */
/* For use before FXRSTOR: AMD's leaves another program's FIP, FDP and FOP in place if no exception
 * is pending (CVE-2006-1056). On such processors the NOP is overwritten by FNINIT, which clears
 * them (alternatives.c). */
static inline void fpu_pointers_forget(void)
{
        __asm__ volatile("1: .byte 0x66, 0x90;" /* a NOP of the same length */
                         ".pushsection .pointer_sites, \"a\"; .dc.a 1b; .popsection"
                         :
                         :
                         : "memory");
}

uint32_t msr_try(uint32_t msr, uint32_t set); /* arch/switch.asm */
uint32_t msr_peek(uint32_t msr, uint64_t *value);
uint32_t pmc_peek(uint32_t counter, uint64_t *value);

void syscall_init(void);
/* Sets SYSCALL's target for programs of `origin`; NULL = it fails with -ENOSYS or #UD. `chosen` is
 * true for a selected row, false for the default. */
struct gates;
void syscall_arm(struct gates *gates, const void *entry, enum origin origin, bool chosen);
