/* serial.c - a 16550 UART (National Semiconductor PC16550D, "Registers"). */
#include "machine/serial.h"
#include "cpu/cpu.h"
#include "cpu/window.h"

#define COM1 0x3f8
#define LINE_STATUS (COM1 + 5)
#define INTERRUPTS (COM1 + 1)
#define DATA_READY 0x01
#define RECEIVED 0x01
#define BURST 64 /* bytes taken in one interrupt; the FIFO holds 16 */
#define HOLDING_EMPTY 0x20
#define ALL_EMPTY 0x40
#define SCRATCH (COM1 + 7) /* a register without function */

/* Maximum number of polls, a second or less: a stuck receiver must not stop the machine. */
#define PATIENCE 1000000
/* Polls regained for each byte sent: 20 times as many as a byte takes. */
#define REGAINED 2000

bool serial_absent;
unsigned long serial_lost;
static void (*received)(uint8_t);
static unsigned patience = PATIENCE;

/* A missing port reads as all ones or all zeros, and stores nothing. */
static bool is_absent(void)
{
        uint8_t status = in8(LINE_STATUS);
        out8(SCRATCH, 0x5a);
        return (status == 0xff || status == 0) && in8(SCRATCH) != 0x5a;
}

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
        serial_absent = is_absent();
}

/* All waits share one budget of polls, and each byte sent gives some back. A stuck port costs one
 * second once, then one poll per byte. A slow one costs its own time, up to 2 ms a byte; bytes
 * beyond that are lost. If a stuck port recovers, it gets the bytes from then on, and the text has
 * a gap. */
static bool serial_wait(uint8_t bits)
{
        for (; !(in8(LINE_STATUS) & bits); patience--, interrupt_window())
                if (!patience)
                        return false;
        return true;
}

static void serial_put(char c)
{
        if (!serial_wait(HOLDING_EMPTY)) {
                serial_lost++;
                return;
        }
        out8(COM1, (uint8_t)c);
        patience = patience < PATIENCE - REGAINED ? patience + REGAINED : PATIENCE;
}

void serial_write(const char *text, size_t count)
{
        if (serial_absent)
                return;
        for (size_t i = 0; i < count; i++) {
                if (text[i] == '\n')
                        serial_put('\r');
                serial_put(text[i]);
        }
}

/* A missing port reads as all ones: always ready. */
void serial_interrupt(void)
{
        for (int i = 0; i < BURST && in8(LINE_STATUS) & DATA_READY; i++)
                received(in8(COM1));
}

void serial_listen(void (*typed)(uint8_t))
{
        received = typed;
        if (serial_absent)
                return;
        for (unsigned i = 0; i < PATIENCE && in8(LINE_STATUS) & DATA_READY; i++)
                in8(COM1);
        out8(INTERRUPTS, RECEIVED);
}

void serial_drain(void)
{
        if (!serial_absent)
                serial_wait(ALL_EMPTY);
}
