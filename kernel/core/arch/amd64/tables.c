/* tables.c - the GDT and task-state segments of amd64: the data only. descriptor.c and a switch
 * fill them in (SDM 3A, "Segment Descriptors"). */
#include "arch.h"
#include "cpu/current.h"
#include "gates.h"

/* A readable segment descriptor. Base 0, limit 4 GiB; long mode ignores both. */
#define SEGMENT(type, dpl, size)                                                                   \
        (0x000f00000000ffffull | (uint64_t)(type) << 40 | 1ull << 44 | (uint64_t)(dpl) << 45 |     \
         1ull << 47 | (uint64_t)(size) << 52 | 1ull << 55)
#define DATA 3  /* writable, accessed */
#define CODE 11 /* readable, accessed */
#define BITS_64 2
#define BITS_32 4
#define INDEX(selector) ((selector) >> 3)

uint64_t gdt[GDT_ENTRIES] SHOWN = {
        [1] = SEGMENT(CODE, 0, BITS_32),
        [INDEX(KERNEL_CS)] = SEGMENT(CODE, 0, BITS_64),
        [INDEX(KERNEL_DS)] = SEGMENT(DATA, 0, BITS_32),
        [INDEX(USER_CS32)] = SEGMENT(CODE, 3, BITS_32),
        [INDEX(USER_DS)] = SEGMENT(DATA, 3, BITS_32),
        [INDEX(USER_CS)] = SEGMENT(CODE, 3, BITS_64),
        [INDEX(USER_DS_AGAIN)] = SEGMENT(DATA, 3, BITS_32),
};

struct tss tss_main SHOWN;
