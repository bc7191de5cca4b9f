/* tables.c - the GDT and task-state segments of i386: the data only. descriptor.c and a switch fill
 * them in (SDM 3A, "Segment Descriptors"). */
#include "arch.h"
#include "gates.h"

/* A readable segment descriptor. Base 0, limit 4 GiB. */
#define SEGMENT(type, dpl)                                                                         \
        (0x00cf00000000ffffull | (uint64_t)(type) << 40 | 1ull << 44 | (uint64_t)(dpl) << 45 |     \
         1ull << 47)
#define DATA 3  /* writable, accessed */
#define CODE 11 /* readable, accessed */
#define INDEX(selector) ((selector) >> 3)

uint64_t gdt[GDT_ENTRIES] = {
        [INDEX(KERNEL_CS)] = SEGMENT(CODE, 0),
        [INDEX(KERNEL_DS)] = SEGMENT(DATA, 0),
        [INDEX(USER_CS)] = SEGMENT(CODE, 3),
        [INDEX(USER_DS)] = SEGMENT(DATA, 3),
};

struct tss tss_main;
struct tss tss_nmi, tss_debug, tss_double_fault;
