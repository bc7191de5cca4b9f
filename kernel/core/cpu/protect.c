/* protect.c - enables, once, the features that the kernel relies on. */
#include "cpu/cpu.h"
#include "context.h"
#include "cpu/alternatives.h"
#include "cpu/features.h"
#include "cpu/msr.h"
#include "cpu/protect.h"
#include "lib/string.h"

struct msrs_kept msrs_kept;

/* SMEP, SMAP, UMIP, SSE for programs: a CR4 bit each, where CPUID has it. */
static const struct {
        enum feature feature;
        uintptr_t cr4;
} protections[] = {
        {FEATURE_SMEP, CR4_SMEP},   {FEATURE_SMAP, CR4_SMAP},      {FEATURE_UMIP, CR4_UMIP},
        {FEATURE_FXSR, CR4_OSFXSR}, {FEATURE_SSE, CR4_OSXMMEXCPT},
};

/* CR4 bits that a loader or the firmware may have left set, and that change a program's rights: TSD
 * forbids RDTSC, PCE allows RDPMC, FSGSBASE WRFSBASE, OSXSAVE XSAVE. All are cleared, because no
 * program's state has them (SDM 3A, "Control Registers"). */
#define CR4_CLEARED ((uintptr_t)(CR4_TSD | CR4_PCE | CR4_FSGSBASE | CR4_OSXSAVE))

/* On AMD, LFENCE orders RDTSC only if a bit of DE_CFG is set; families 0Fh and 11h need no bit
 * (AMD, "Software Techniques for Managing Speculation on AMD Processors", LFENCE). */
bool lfence_needs_msr(void)
{
        return vendor_amd() && cpu_identity.family >= 0x10 && cpu_identity.family != 0x11;
}

void protect_init(void)
{
        uintptr_t cr4 = cr4_read() & ~CR4_CLEARED;
        for (size_t i = 0; i < sizeof protections / sizeof *protections; i++)
                if (feature_has(protections[i].feature))
                        cr4 |= protections[i].cr4;
        if (cr4 & CR4_SMAP)
                smap_sites_enable();
        cr4_write(cr4);
        /* FXRSTOR leaves the x87 pointers (AMD APM 2, "Saving and Restoring State") */
        if (vendor_amd() && !feature_has(FEATURE_RSTR_FP_ERR_PTRS))
                pointer_sites_enable();
        if (lfence_needs_msr())
                msr_try(AMD_DE_CFG, AMD_DE_CFG_LFENCE);
}

const struct fxsave_image fpu_clean_image = {.control = 0x37f, .mxcsr = 0x1f80};

void fpu_reset(void)
{
        __asm__ volatile("fninit");
        if (feature_has(FEATURE_FXSR))
                fpu_clean();
}

void fpu_image(uint8_t area[512])
{
        static const uint32_t without[] = {0x37f, 0, 0xffff}; /* control, status, tag: all empty */

        words_clear(area, 512 / WORD);
        if (feature_has(FEATURE_FXSR))
                memcpy(area, &fpu_clean_image, sizeof fpu_clean_image);
        else
                memcpy(area, without, sizeof without);
}
