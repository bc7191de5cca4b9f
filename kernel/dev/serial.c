/* serial.c - a 16550 UART (National Semiconductor PC16550D, "Registers"). */
#include "dev/serial.h"
#include "cpu/cpu.h"

#define COM1 0x3f8
#define LINE_STATUS (COM1 + 5)
#define HOLDING_EMPTY 0x20
#define ALL_EMPTY 0x40
#define PATIENCE 1000000 /* reads: a port that is not there must not stop the machine */

void serial_init(void)
{
        static const struct {
                uint16_t port;
                uint8_t value;
        } setup[] = {
                {COM1 + 1, 0x00},                   /* no interrupts */
                {COM1 + 3, 0x80},                   /* divisor latch */
                {COM1 + 0, 0x01},                   /* 115200 */
                {COM1 + 1, 0x00}, {COM1 + 3, 0x03}, /* 8N1 */
                {COM1 + 2, 0xc7},                   /* FIFO on, cleared */
                {COM1 + 4, 0x03},                   /* DTR, RTS */
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

void serial_drain(void)
{
        wait(ALL_EMPTY);
}
