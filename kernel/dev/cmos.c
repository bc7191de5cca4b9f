/* cmos.c - four bytes of the CMOS memory behind the real-time clock (Motorola MC146818; ports as on
 * the PC/AT). QEMU's and Bochs' firmware do not use them. If another firmware uses them they are
 * not blank, and nothing is written. */
#include "dev/cmos.h"
#include "cpu/cpu.h"

#define INDEX 0x70
#define DATA 0x71
#define PLACE 0x70 /* of 128 */
#define SIZE 4
#define SIGN_0 0x5a /* then SIGN_1, the kernel's width in bytes, and a byte: the sum is 0 */
#define SIGN_1 0xd0

uint8_t cmos_get(unsigned at)
{
        out8(INDEX, (uint8_t)at);
        return in8(DATA);
}

void cmos_put(unsigned at, uint8_t value)
{
        out8(INDEX, (uint8_t)at);
        out8(DATA, value);
}

static uint8_t cmos_read_at(unsigned i)
{
        return cmos_get(PLACE + i);
}

static void cmos_write_at(const uint8_t mark[SIZE])
{
        for (unsigned i = 0; i < SIZE; i++)
                cmos_put(PLACE + i, mark[i]);
}

static bool cmos_blank(void)
{
        uint8_t all = 0, each = 0xff;
        for (unsigned i = 0; i < SIZE; i++) {
                all |= cmos_read_at(i);
                each &= cmos_read_at(i);
        }
        return all == 0 || each == 0xff;
}

bool cmos_remember(void)
{
        if (!cmos_blank() && !cmos_remembered())
                return false;
        cmos_write_at(
                (const uint8_t[SIZE]){SIGN_0, SIGN_1, WORD, (uint8_t) - (SIGN_0 + SIGN_1 + WORD)});
        return cmos_remembered(); /* missing memory does not keep it */
}

void cmos_forget(void)
{
        if (cmos_remembered())
                cmos_write_at((const uint8_t[SIZE]){0});
}

const char *cmos_remembered(void)
{
        uint8_t sum = 0;
        for (unsigned i = 0; i < SIZE; i++)
                sum = (uint8_t)(sum + cmos_read_at(i));
        if (sum || cmos_read_at(0) != SIGN_0 || cmos_read_at(1) != SIGN_1)
                return NULL;
        return cmos_read_at(2) == 8 ? "amd64" : "i386";
}
