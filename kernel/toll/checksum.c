/* checksum.c - a checksum of everything that no program may change: code, constants, GDT, IDT,
 * control and debug registers. */
#include "toll/checksum.h"
#include "cpu/cpu.h"

extern const uint32_t image_start[], rodata_end[]; /* linker.ld */

static uint32_t checksum_add(uint32_t sum, const uint32_t *from, const uint32_t *end)
{
        for (; from < end; from++)
                sum = (sum << 5 | sum >> 27) ^ *from;
        return sum;
}

static uint32_t add_table(uint32_t sum, struct table_register table)
{
        const uint32_t *start = table.base;
        return checksum_add(sum, start, start + (table.limit + 1) / sizeof *start);
}

static uint32_t add_registers(uint32_t sum)
{
        const uint32_t registers[] = {(uint32_t)cr0_read() & ~(uint32_t)CR0_TS,
                                      (uint32_t)cr4_read(), (uint32_t)dr7_read(),
                                      registers_still()};
        return checksum_add(sum, registers, registers + sizeof registers / sizeof *registers);
}

uint32_t kernel_checksum(void)
{
        struct table_register gdt, idt;
        __asm__("sgdt %0; sidt %1" : "=m"(gdt), "=m"(idt));
        uint32_t sum = add_registers(checksum_add(0, image_start, rodata_end));
        return add_table(add_table(sum, gdt), idt);
}
