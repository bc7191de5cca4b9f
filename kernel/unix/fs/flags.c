/* flags.c - names of features (Linux, arch/x86/include/asm/cpufeatures.h), in its order.
 *
 * Features that need XSAVE are not in the list: the kernel does not enable it, so programs cannot
 * use them. */
#include "fs/flags.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "fs/text.h"

/* The names stand in the order of the bits, from 0 up; "." = none. */
static const struct {
        uint32_t leaf;
        enum { BX, CX, DX } in;
        const char *names;
} words[] = {
        {1, DX,
         "fpu vme de pse tsc msr pae mce cx8 apic . sep mtrr pge mca cmov "
         "pat pse36 pn clflush . dts acpi mmx fxsr sse sse2 ss ht tm ia64 pbe"},
        {0x80000001, DX,
         ". . . . . . . . . . . syscall . . . . "
         ". . . mp nx . mmxext . . fxsr_opt pdpe1gb rdtscp . lm 3dnowext 3dnow"},
        {1, CX,
         "pni pclmulqdq dtes64 monitor ds_cpl vmx smx est tm2 ssse3 . . . cx16 xtpr pdcm "
         ". pcid dca sse4_1 sse4_2 x2apic movbe popcnt tsc_deadline_timer aes . . . . rdrand "
         "hypervisor"},
        {0x80000001, CX,
         "lahf_lm cmp_legacy svm extapic cr8_legacy abm sse4a misalignsse 3dnowprefetch osvw "
         "ibs . skinit wdt"},
        {7, BX,
         ". tsc_adjust . bmi1 . . . smep bmi2 erms invpcid . . . . . "
         ". . rdseed adx smap . . clflushopt clwb . . . . sha_ni"},
};

void cpu_flags_print(struct text *text)
{
        for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
                struct cpuid r = cpuid_leaf(words[i].leaf);
                uint32_t bits = words[i].in == BX ? r.bx : words[i].in == CX ? r.cx : r.dx;
                const char *end = words[i].names;
                for (const char *name = end; *name; bits >>= 1, name = end + !!*end) {
                        for (end = name; *end && *end != ' ';)
                                end++;
                        if (bits & 1 && *name != '.')
                                text_print(text, " %.*s", (int)(end - name), name);
                }
        }
}
