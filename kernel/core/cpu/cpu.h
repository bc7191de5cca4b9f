/* cpu.h - instructions that C has no name for, the same in both architectures. */
#pragma once
#include "arch.h"

_Static_assert(sizeof(struct frame) == FRAME_SIZE, "frame");
_Static_assert(offsetof(struct frame, ax) == FRAME_AX, "frame");
_Static_assert(offsetof(struct frame, number) == FRAME_NUMBER, "frame");
_Static_assert(offsetof(struct frame, cs) == FRAME_CS, "frame");
_Static_assert(offsetof(struct frame, ss) == FRAME_SS, "frame");

/* GDTR and IDTR, as LGDT, LIDT, SGDT and SIDT have them in memory. */
struct __attribute__((packed)) table_register {
        uint16_t limit;
        const void *base;
};

static inline void out8(uint16_t port, uint8_t value)
{
        __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline void out16(uint16_t port, uint16_t value)
{
        __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t in8(uint16_t port)
{
        uint8_t value;
        __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
        return value;
}

/* `count` words of 16 bits from a port to memory. */
static inline void in16s(uint16_t port, void *to, unsigned count)
{
        uintptr_t words = count;
        __asm__ volatile("rep insw" : "+D"(to), "+c"(words) : "d"(port) : "memory");
}

#define CONTROL_REGISTER(n)                                                                        \
        static inline uintptr_t cr##n##_read(void)                                                 \
        {                                                                                          \
                uintptr_t value;                                                                   \
                __asm__ volatile("mov %%cr" #n ", %0" : "=r"(value) : : "memory");                 \
                return value;                                                                      \
        }                                                                                          \
        static inline void cr##n##_write(uintptr_t value)                                          \
        {                                                                                          \
                __asm__ volatile("mov %0, %%cr" #n : : "r"(value) : "memory");                     \
        }
CONTROL_REGISTER(0)
CONTROL_REGISTER(2)
CONTROL_REGISTER(3)
CONTROL_REGISTER(4)

#define DEBUG_REGISTER(n)                                                                          \
        static inline uintptr_t dr##n##_read(void)                                                 \
        {                                                                                          \
                uintptr_t value;                                                                   \
                __asm__ volatile("mov %%dr" #n ", %0" : "=r"(value));                              \
                return value;                                                                      \
        }                                                                                          \
        static inline void dr##n##_write(uintptr_t value)                                          \
        {                                                                                          \
                __asm__ volatile("mov %0, %%dr" #n : : "r"(value));                                \
        }
DEBUG_REGISTER(0)
DEBUG_REGISTER(6)
DEBUG_REGISTER(7)

static inline uintptr_t flags_read(void)
{
        uintptr_t flags;
        __asm__ volatile("pushf; pop %0" : "=r"(flags));
        return flags;
}

/* Flags that a direct call may have set. They are cleared when the process changes, because the
 * next IRET may be for another one. */
#define FLAGS_OF_PROGRAM (RFLAGS_IF | RFLAGS_NT | RFLAGS_AC)

static inline void flags_back(uintptr_t flags)
{
        __asm__ volatile("push %0; popf" : : "r"(flags) : "memory", "cc");
}

static inline void interrupts_off(void)
{
        __asm__ volatile("cli" : : : "memory");
}

static inline void interrupts_on(void)
{
        __asm__ volatile("sti" : : : "memory");
}

static inline void halt(void)
{
        __asm__ volatile("hlt");
}

/* Waits for the next interrupt: STI delays interrupts until HLT. An NMI at that point skips HLT
 * (trap/dispatch.c), because the interrupt may have come with the NMI. Interrupts are off before
 * and after. */
static inline void interrupt_wait(void)
{
        __asm__ volatile("sti; 1: hlt; 2: cli;"
                         ".pushsection .waits, \"a\"; .dc.a 1b, 2b; .popsection"
                         :
                         :
                         : "memory");
}

/* Two prefixes make room for the call that isolation.c writes over it. */
static inline void page_forget(uintptr_t address)
{
        __asm__ volatile(
                "1: ds; ds; invlpg (%0); .pushsection .flushes, \"a\"; .dc.a 1b; .popsection"
                :
                : "b"(address)
                : "memory");
}

/* LAR: bits 8 to 23 of the second word of a selector's descriptor; 0 = code with the selector's RPL
 * may not use it. */
static inline uint32_t access_rights(uint32_t selector)
{
        uint32_t rights;
        __asm__("lar %1, %0; jz 1f; xor %0, %0; 1:" : "=&r"(rights) : "r"(selector) : "cc");
        return rights;
}

/* CPUID's four words; `leaf` 0 returns the largest leaf in ax. */
struct cpuid {
        uint32_t ax, bx, cx, dx;
};

static inline struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
        struct cpuid r;
        __asm__ volatile("cpuid"
                         : "=a"(r.ax), "=b"(r.bx), "=c"(r.cx), "=d"(r.dx)
                         : "a"(leaf), "c"(subleaf));
        return r;
}
