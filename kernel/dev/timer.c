/*
 * timer.c - two 8259A interrupt controllers and the 8254 timer (Intel data sheets of those names).
 *
 * The local APIC stays as the firmware left it (its LINT0 passes the 8259 through), but its timer
 * is masked: UEFI leaves it running.
 */
#include "dev/timer.h"
#include "cpu/cpu.h"
#include "cpu/features.h"
#include "mem/space.h"

#define PIC1 0x20
#define PIC2 0xa0
#define CASCADE 2 /* the line of the first that the second is at */
#define EOI 0x20
#define READ_ISR 0x0b
#define PIT_HZ 1193182
#define PIT_CHANNEL_0 0x40
#define PIT_CHANNEL_2 0x42
#define PIT_COMMAND 0x43
#define SPEAKER 0x61
#define APIC_LVT_TIMER 0x320
#define APIC_MASKED 0x10000

volatile uint32_t timer_ticks;

static void mask(uint8_t first, uint8_t second)
{
        out8(PIC1 + 1, first);
        out8(PIC2 + 1, second);
}

void timer_rate(unsigned hertz)
{
        unsigned divisor = PIT_HZ / hertz;
        out8(PIT_COMMAND, 0x34); /* channel 0, low and high byte, rate generator */
        out8(PIT_CHANNEL_0, (uint8_t)divisor);
        out8(PIT_CHANNEL_0, (uint8_t)(divisor >> 8));
}

void timer_init(void)
{
        static const struct {
                uint16_t port;
                uint8_t value;
        } setup[] = {
                {PIC1, 0x11},
                {PIC2, 0x11}, /* four words follow */
                {PIC1 + 1, VECTOR_IRQ0},
                {PIC2 + 1, VECTOR_IRQ0 + 8}, /* vectors */
                {PIC1 + 1, 4},
                {PIC2 + 1, 2}, /* cascaded at IRQ 2 */
                {PIC1 + 1, 1},
                {PIC2 + 1, 1}, /* 8086 mode */
        };
        for (unsigned i = 0; i < sizeof setup / sizeof *setup; i++)
                out8(setup[i].port, setup[i].value);
        mask(0xff, 0xff);

        if (feature_has(FEATURE_APIC) && feature_has(FEATURE_MSR)) {
                uint64_t base = msr_read(IA32_APIC_BASE);
                volatile uint32_t *apic =
                        base & 0x800 ? window_map(base & ~0xfffull, PAGE_SIZE) : NULL;
                if (apic)
                        apic[APIC_LVT_TIMER / 4] |= APIC_MASKED;
        }
        timer_rate(TIMER_HZ);
}

void timer_quiet(bool quiet)
{
        mask(quiet ? 0xff : 0xfe, 0xff);
}

static uint8_t in_service(uint16_t pic)
{
        out8(pic, READ_ISR);
        return in8(pic);
}

unsigned timer_in_service(void)
{
        return (in_service(PIC1) & ~(1u << CASCADE)) | (unsigned)in_service(PIC2) << 8;
}

void timer_interrupt(unsigned vector)
{
        unsigned irq = vector - VECTOR_IRQ0;
        if (irq >= 16)
                return; /* nobody's: the local APIC's spurious vector, or a stray message */
        uint16_t pic = irq < 8 ? PIC1 : PIC2;
        if ((irq & 7) == 7 && !(in_service(pic) & 0x80)) {
                if (pic == PIC2)
                        out8(PIC1, EOI);
                return; /* spurious */
        }
        if (irq == 0)
                timer_ticks++;
        if (pic == PIC2)
                out8(PIC2, EOI);
        out8(PIC1, EOI);
}

uint64_t timer_tsc_hz(void)
{
        const unsigned parts = 50; /* of a second: 20 ms */
        unsigned count = PIT_HZ / parts;
        out8(SPEAKER, (in8(SPEAKER) & 0xfc) | 1); /* gate on, speaker off */
        out8(PIT_COMMAND, 0xb0);                  /* channel 2, interrupt on terminal count */
        out8(PIT_CHANNEL_2, (uint8_t)count);
        out8(PIT_CHANNEL_2, (uint8_t)(count >> 8));
        uint64_t start = tsc_read();
        for (unsigned i = 0; !(in8(SPEAKER) & 0x20); i++)
                if (i > 10000000)
                        return 0;
        return (tsc_read() - start) * parts;
}
