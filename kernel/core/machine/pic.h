/* pic.h - the two 8259A interrupt controllers, and the devices on their lines. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

void pic_init(void);     /* remapped to VECTOR_IRQ0, all lines masked */
void pic_mask(bool all); /* masks all lines, or those without a device (machine/quiet.h) */
void pic_interrupt(unsigned vector); /* any vector from VECTOR_IRQ0 up */
/* Registers a device: its handler answers its line from now on. */
void pic_listen(unsigned line, const char *name, void (*handler)(void));
#define PIC_LINES 16
extern uint32_t pic_counts[PIC_LINES]; /* interrupts of each line since the boot */
const char *pic_name(unsigned line);   /* its device's name, NULL = none */
unsigned pic_in_service(void);         /* lines in service, bit 0 = IRQ 0 */
