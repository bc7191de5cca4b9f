/* hardware.h - a TSS in the kernel's GDT, i386. */
#pragma once
#include "arch.h"
#include "cpu/cpu.h"

void task_hardware_second(void); /* task.asm */

#define TASK_SELECTOR 0xd8 /* free in the kernel's GDT; also in task.asm */
#define TYPE_TSS 9

static inline uint64_t *hardware_descriptor(void)
{
        struct table_register gdtr;
        __asm__ volatile("sgdt %0" : "=m"(gdtr));
        return (uint64_t *)gdtr.base + TASK_SELECTOR / 8;
}

static inline const char *hardware_missing(void)
{
        return NULL;
}

static inline void hardware_prepare(void)
{
        static uint32_t stack[64];
        static struct tss tss;
        uint32_t base = (uint32_t)&tss;
        tss = (struct tss){
                .cr3 = cr3_read(),
                .ip = (uint32_t)task_hardware_second,
                .flags = RFLAGS_FIXED,
                .sp = (uint32_t)(stack + 64),
                .cs = KERNEL_CS,
                .ss = KERNEL_DS,
                .ds = KERNEL_DS,
                .es = KERNEL_DS,
                .iomap_base = sizeof tss,
        };
        *hardware_descriptor() = (sizeof tss - 1) | (uint64_t)(base & 0xffffff) << 16 |
                                 (uint64_t)TYPE_TSS << 40 | 1ull << 47 |
                                 (uint64_t)(base >> 24) << 56;
}

static inline void hardware_undo(void)
{
        *hardware_descriptor() = 0;
}
