/* pic.c - two 8259A interrupt controllers (Intel's data sheet). */
#include "machine/pic.h"
#include "cpu/cpu.h"
#include "machine/apic.h"

#define PIC1 0x20
#define PIC2 0xa0
#define EOI 0x20
#define CASCADE 2 /* the first one's line for the second */
#define READ_ISR 0x0b

uint32_t pic_counts[PIC_LINES];

static void (*handlers[PIC_LINES])(void);

/* Linux's names in /proc/interrupts. */
static const char *names[PIC_LINES] = {[CASCADE] = "cascade"};

const char *pic_name(unsigned line)
{
        return names[line];
}

void pic_init(void)
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
                {PIC2 + 1, 2}, /* cascaded on IRQ 2 */
                {PIC1 + 1, 1},
                {PIC2 + 1, 1}, /* 8086 mode */
        };
        for (unsigned i = 0; i < sizeof setup / sizeof *setup; i++)
                out8(setup[i].port, setup[i].value);
        pic_mask(true);
}

void pic_mask(bool all)
{
        unsigned lines = 0xffff;
        for (unsigned i = 0; !all && i < PIC_LINES; i++)
                if (handlers[i])
                        lines &= ~(1u << i | (i > 7) << CASCADE);
        out8(PIC1 + 1, (uint8_t)lines);
        out8(PIC2 + 1, (uint8_t)(lines >> 8));
}

void pic_listen(unsigned line, const char *name, void (*handler)(void))
{
        handlers[line] = handler;
        names[line] = name;
}

static uint8_t in_service(uint16_t pic)
{
        out8(pic, READ_ISR);
        return in8(pic);
}

unsigned pic_in_service(void)
{
        return (in_service(PIC1) & ~(1u << CASCADE)) | (unsigned)in_service(PIC2) << 8;
}

void pic_interrupt(unsigned vector)
{
        unsigned irq = vector - VECTOR_IRQ0;
        if (irq >= PIC_LINES) {
                apic_interrupt(vector);
                return;
        }
        uint16_t pic = irq < 8 ? PIC1 : PIC2;
        if ((irq & 7) == 7 && !(in_service(pic) & 0x80)) {
                if (pic == PIC2)
                        out8(PIC1, EOI);
                return; /* spurious */
        }
        pic_counts[irq]++;
        if (handlers[irq])
                handlers[irq]();
        if (pic == PIC2)
                out8(PIC2, EOI);
        out8(PIC1, EOI);
}
