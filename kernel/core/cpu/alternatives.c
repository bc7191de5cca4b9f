/* alternatives.c - patches code at boot: the chosen fence into every time stamp (PROBE), STAC and
 * CLAC where the processor has SMAP, and FNINIT where FXRSTOR leaves the x87 pointers.
 *
 * The text is read-only, so CR0.WP is off while it is written, with interrupts off. CPUID
 * serialises before the new bytes run (SDM 3A, "Handling Self- and Cross-Modifying Code"). */
#include "cpu/alternatives.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "gates.h"
#include "lib/string.h"

#define READ_SIZE 9
#define AFTER_SIZE 7

enum fence fence_boot;
const char *const fence_names[FENCES] = {"none", "lfence", "rdtscp", "cpuid", "both"};

struct code {
        uint8_t size, bytes[READ_SIZE];
};

#define RDTSC 0x0f, 0x31
#define RDTSCP 0x0f, 0x01, 0xf9
#define LFENCE 0x0f, 0xae, 0xe8
#define CPUID_LEAF_0 0xb8, 0, 0, 0, 0, 0x0f, 0xa2 /* mov eax, 0; cpuid */

static const struct {
        struct code read, after;
} fences[FENCES] = {
        [FENCE_none] = {{2, {RDTSC}}, {0, {0}}},
        [FENCE_lfence] = {{5, {LFENCE, RDTSC}}, {0, {0}}},
        [FENCE_rdtscp] = {{3, {RDTSCP}}, {0, {0}}},
        [FENCE_both] = {{5, {LFENCE, RDTSC}}, {3, {LFENCE}}},
        [FENCE_cpuid] = {{9, {CPUID_LEAF_0, RDTSC}}, {7, {CPUID_LEAF_0}}},
};

extern const struct fence_site {
        uintptr_t read, after;
} fence_sites[], fence_sites_end[];

extern const struct smap_site {
        uintptr_t at, code;
} smap_sites[], smap_sites_end[];

extern const uintptr_t pointer_sites[], pointer_sites_end[];

bool fence_possible(enum fence fence)
{
        return fence == FENCE_lfence || fence == FENCE_both ? feature_has(FEATURE_SSE2)
               : fence == FENCE_rdtscp                      ? feature_has(FEATURE_RDTSCP)
                                                            : true;
}

enum fence fence_best(void)
{
        return fence_possible(FENCE_lfence) ? FENCE_lfence : FENCE_cpuid;
}

static uintptr_t text_open(void)
{
        uintptr_t cr0 = cr0_read();
        interrupts_off();
        cr0_write(cr0 & ~(uintptr_t)CR0_WP);
        return cr0;
}

static void text_close(uintptr_t cr0, uintptr_t flags)
{
        cr0_write(cr0);
        cpuid(0, 0);
        flags_back(flags);
}

void text_write(void *at, const void *code, size_t size)
{
        uintptr_t flags = flags_read(), cr0 = text_open();
        memcpy(at, code, size);
        text_close(cr0, flags);
}

/* Code in a gate page is written through the kernel's image. One NOP fills the rest: any number of
 * prefixes is allowed on every processor, and 0F 1F is not. */
static void write_code(uintptr_t at, size_t room, struct code code)
{
        uint8_t *to = image_of(at);
        memset(to, 0x66, room - 1);
        to[room - 1] = 0x90;
        memcpy(to, code.bytes, code.size);
}

/* All at once: an emulator forgets its translations at each change of CR0.WP. */
void fence_set(enum fence fence)
{
        uintptr_t flags = flags_read(), cr0 = text_open();
        for (const struct fence_site *site = fence_sites; site < fence_sites_end; site++) {
                write_code(site->read, READ_SIZE, fences[fence].read);
                write_code(site->after, AFTER_SIZE, fences[fence].after);
        }
        text_close(cr0, flags);
}

void text_exchange(struct text_jump *jump)
{
        uint8_t code[JUMP_SIZE] = {jump->opcode};
        int32_t distance = (int32_t)(jump->to - (uintptr_t)jump->at - JUMP_SIZE);
        memcpy(code + 1, &distance, sizeof distance);
        if (!jump->written)
                memcpy(jump->kept, jump->at, JUMP_SIZE);
        text_write(jump->at, jump->written ? jump->kept : code, JUMP_SIZE);
        jump->written = !jump->written;
}

void smap_sites_enable(void)
{
        for (const struct smap_site *site = smap_sites; site < smap_sites_end; site++)
                text_write(image_of(site->at), &site->code, 3);
}

void pointer_sites_enable(void)
{
        static const uint8_t fninit[] = {0xdb, 0xe3};
        for (const uintptr_t *site = pointer_sites; site < pointer_sites_end; site++)
                text_write(image_of(*site), fninit, sizeof fninit);
}
