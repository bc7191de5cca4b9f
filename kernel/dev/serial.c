/* serial.c - a 16550 UART (National Semiconductor PC16550D, "Registers"). */
#include "dev/serial.h"
#include "cpu/cpu.h"
#include "dev/input.h"

#define COM1 0x3f8
#define LINE_STATUS (COM1 + 5)
#define INTERRUPTS (COM1 + 1)
#define DATA_READY 0x01
#define RECEIVED 0x01
#define BURST 64 /* bytes that one interrupt takes; the FIFO holds 16 */
#define HOLDING_EMPTY 0x20
#define ALL_EMPTY 0x40
#define PATIENCE 1000000 /* reads: a port that is not there must not stop the machine */

void serial_init(void)
{
        static const struct {
                uint16_t port;
                uint8_t value;
        } setup[] = {
                {INTERRUPTS, 0x00},                   /* none yet */
                {COM1 + 3, 0x80},                     /* divisor latch */
                {COM1 + 0, 0x01},                     /* 115200 */
                {INTERRUPTS, 0x00}, {COM1 + 3, 0x03}, /* 8N1 */
                {COM1 + 2, 0xc7},                     /* FIFO on, cleared */
                {COM1 + 4, 0x0b},                     /* DTR, RTS; OUT2 lets interrupts through */
        };
        for (size_t i = 0; i < sizeof setup / sizeof *setup; i++)
                out8(setup[i].port, setup[i].value);
}

static void wait(uint8_t bits)
{
        for (int i = 0; i < PATIENCE && !(in8(LINE_STATUS) & bits); i++)
                ;
}

static void put(char c)
{
        wait(HOLDING_EMPTY);
        out8(COM1, (uint8_t)c);
}

void serial_write(const char *text, size_t count)
{
        for (size_t i = 0; i < count; i++) {
                if (text[i] == '\n')
                        put('\r');
                put(text[i]);
        }
}

/* A port that is not there reads as all ones: it is ready for ever. */
void serial_interrupt(void)
{
        for (int i = 0; i < BURST && in8(LINE_STATUS) & DATA_READY; i++)
                input_put(in8(COM1));
}

void serial_listen(void)
{
        while (in8(LINE_STATUS) != 0xff && in8(LINE_STATUS) & DATA_READY)
                in8(COM1);
        out8(INTERRUPTS, RECEIVED);
}

void serial_drain(void)
{
        wait(ALL_EMPTY);
}
