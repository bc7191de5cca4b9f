/*
 * flags.c - names of features (Linux, arch/x86/include/asm/cpufeatures.h), in its order.
 *
 * Features that need XSAVE are not in the list: the kernel does not enable it, so programs cannot
 * use them.
 */
#include "fs/flags.h"
#include "cpu/cpu.h"
#include "cpu/features.h"

static const struct {
        uint32_t leaf;
        enum {
                BX,
                CX,
                DX
        } in;
        const char *names[32];
} words[CPU_FLAGS / 32] = {
        {1, DX, {"fpu",  "vme",   "de",   "pse",     "tsc",  "msr", "pae",  "mce",
                 "cx8",  "apic",  NULL,   "sep",     "mtrr", "pge", "mca",  "cmov",
                 "pat",  "pse36", "pn",   "clflush", NULL,   "dts", "acpi", "mmx",
                 "fxsr", "sse",   "sse2", "ss",      "ht",   "tm",  "ia64", "pbe"}},
        {0x80000001,
         DX,
         {[11] = "syscall",
          [19] = "mp",
          [20] = "nx",
          [22] = "mmxext",
          [25] = "fxsr_opt",
          [26] = "pdpe1gb",
          [27] = "rdtscp",
          [29] = "lm",
          [30] = "3dnowext",
          [31] = "3dnow"}},
        {1, CX, {[0] = "pni",     [1] = "pclmulqdq", [2] = "dtes64",
                 [3] = "monitor", [4] = "ds_cpl",    [5] = "vmx",
                 [6] = "smx",     [7] = "est",       [8] = "tm2",
                 [9] = "ssse3",   [13] = "cx16",     [14] = "xtpr",
                 [15] = "pdcm",   [17] = "pcid",     [18] = "dca",
                 [19] = "sse4_1", [20] = "sse4_2",   [21] = "x2apic",
                 [22] = "movbe",  [23] = "popcnt",   [24] = "tsc_deadline_timer",
                 [25] = "aes",    [30] = "rdrand",   [31] = "hypervisor"}},
        {0x80000001,
         CX,
         {[0] = "lahf_lm",
          [1] = "cmp_legacy",
          [2] = "svm",
          [3] = "extapic",
          [4] = "cr8_legacy",
          [5] = "abm",
          [6] = "sse4a",
          [7] = "misalignsse",
          [8] = "3dnowprefetch",
          [9] = "osvw",
          [10] = "ibs",
          [12] = "skinit",
          [13] = "wdt"}},
        {7,
         BX,
         {[1] = "tsc_adjust",
          [3] = "bmi1",
          [7] = "smep",
          [8] = "bmi2",
          [9] = "erms",
          [10] = "invpcid",
          [18] = "rdseed",
          [19] = "adx",
          [20] = "smap",
          [23] = "clflushopt",
          [24] = "clwb",
          [29] = "sha_ni"}},
};

const char *cpu_flag(unsigned index)
{
        struct cpuid r = cpuid_leaf(words[index / 32].leaf);
        uint32_t bits = words[index / 32].in == BX   ? r.bx
                        : words[index / 32].in == CX ? r.cx
                                                     : r.dx;
        return bits >> index % 32 & 1 ? words[index / 32].names[index % 32] : NULL;
}
