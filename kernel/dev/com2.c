/* com2.c - a second 16550 UART (National Semiconductor PC16550D, "Registers"). */
#include "dev/com2.h"
#include "cpu/cpu.h"
#include "cpu/work.h"
#include "machine/pic.h"

#define COM2 0x2f8
#define INTERRUPTS (COM2 + 1)
#define LINE_STATUS (COM2 + 5)
#define SCRATCH (COM2 + 7) /* keeps a byte, for nobody */
#define IRQ 3
#define RECEIVED 0x01 /* of INTERRUPTS */
#define DATA_READY 0x01
#define HOLDING_EMPTY 0x20
#define RING 4096
#define PATIENCE 100 /* looks, for room */
#define LOOKS 400    /* for bytes */

static uint8_t ring[RING];
static volatile unsigned in, out;
static bool present;

static void receive(void)
{
        while (in - out < RING && in8(LINE_STATUS) & DATA_READY) {
                ring[in % RING] = in8(COM2);
                in++;
        }
        if (in - out == RING)
                out8(INTERRUPTS, 0); /* until some of it is taken */
        work_add(WORK_DEVICE);
}

void com2_init(void)
{
        static const struct {
                uint16_t port;
                uint8_t value;
        } setup[] = {
                {INTERRUPTS, 0x00}, {COM2 + 3, 0x80}, /* divisor latch */
                {COM2 + 0, 0x01},                     /* 115200 */
                {INTERRUPTS, 0x00}, {COM2 + 3, 0x03}, /* 8N1 */
                {COM2 + 2, 0xc7},                     /* FIFO on, cleared */
                {COM2 + 4, 0x0b},                     /* DTR, RTS; OUT2 lets interrupts through */
        };
        out8(SCRATCH, 0x5a);
        present = in8(SCRATCH) == 0x5a;
        if (!present)
                return;
        for (size_t i = 0; i < sizeof setup / sizeof *setup; i++)
                out8(setup[i].port, setup[i].value);
        pic_listen(IRQ, "ttyS1", receive);
        out8(INTERRUPTS, RECEIVED);
}

bool com2_absent(void)
{
        return !present;
}

bool com2_has(void)
{
        return in != out;
}

/* Interrupts come soon enough for a processor; an emulator brings more while its ports are asked.
 */
bool com2_look(void)
{
        bool were_on = flags_read() & RFLAGS_IF;
        interrupts_off();
        for (unsigned i = 0; i < LOOKS && in == out; i++)
                if (in8(LINE_STATUS) & DATA_READY)
                        receive();
        if (were_on)
                interrupts_on();
        return in != out;
}

/* Only this moves `out`; the handler may run meanwhile. */
size_t com2_take(void *to, size_t most)
{
        uint8_t *bytes = to;
        size_t done = 0;
        for (; done < most && in != out; out++)
                bytes[done++] = ring[out % RING];
        if (done)
                out8(INTERRUPTS, RECEIVED);
        return done;
}

bool com2_put(uint8_t byte)
{
        for (unsigned i = 0; !(in8(LINE_STATUS) & HOLDING_EMPTY); i++)
                if (i == PATIENCE)
                        return false;
        out8(COM2, byte);
        return true;
}
