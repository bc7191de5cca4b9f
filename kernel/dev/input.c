/* input.c - a ring with one writer, the handlers, which do not nest, and one reader. */
#include "dev/input.h"
#include "cpu/work.h"

#define RING 256

static volatile uint8_t ring[RING];
static volatile unsigned in, out;

void input_put(uint8_t byte)
{
        if (in - out < RING) {
                ring[in % RING] = byte;
                in++;
        }
        work_add(WORK_DEVICE);
}

int input_take(void)
{
        if (in == out)
                return -1;
        int byte = ring[out % RING];
        out++;
        return byte;
}
