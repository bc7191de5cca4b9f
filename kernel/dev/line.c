/* line.c - a 16550 UART (National Semiconductor PC16550D, "Registers"), as serial.c's. */
#include "dev/line.h"
#include "cpu/cpu.h"

#define COM2 0x2f8
#define CAUSE                                                                                      \
        (COM2 + 2) /* of an interrupt: 14 bytes in the FIFO, or fewer for four bytes' time         \
                    */
#define NOTHING 0x01
#define LOOKS 50 /* short for a program; and long enough for an emulator to bring more */
#define LINE_STATUS (COM2 + 5)
#define DATA_READY 0x01
#define HOLDING_EMPTY 0x20
#define SCRATCH (COM2 + 7) /* keeps a byte, for nobody */

static bool is_open;

bool line_open(void)
{
        static const struct {
                uint16_t port;
                uint8_t value;
        } setup[] = {
                {COM2 + 3, 0x80},                   /* divisor latch */
                {COM2 + 0, 0x01},                   /* 115200 */
                {COM2 + 1, 0x00}, {COM2 + 3, 0x03}, /* 8N1 */
                {COM2 + 2, 0xc7},                   /* FIFO on, cleared */
                {COM2 + 4, 0x03}, /* DTR, RTS; without OUT2 there is no interrupt */
                {COM2 + 1, 0x01}, /* received: CAUSE tells it */
        };
        out8(SCRATCH, 0x5a);
        if (in8(SCRATCH) != 0x5a)
                return false;
        for (size_t i = 0; !is_open && i < sizeof setup / sizeof *setup; i++)
                out8(setup[i].port, setup[i].value);
        is_open = true;
        return true;
}

size_t line_take(uint8_t *to, size_t size)
{
        size_t count = 0;
        for (unsigned looks = LOOKS; in8(CAUSE) & NOTHING; looks--)
                if (!looks)
                        return 0;
        while (count < size && in8(LINE_STATUS) & DATA_READY)
                to[count++] = in8(COM2);
        return count;
}

bool line_put(uint8_t byte)
{
        if (!(in8(LINE_STATUS) & HOLDING_EMPTY))
                return false;
        out8(COM2, byte);
        return true;
}
