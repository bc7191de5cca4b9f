/* pit.c - the 8254 timer (Intel's data sheet). */
#include "machine/pit.h"
#include "cpu/cpu.h"

#define CHANNEL_0 0x40
#define CHANNEL_2 0x42
#define COMMAND 0x43
#define SPEAKER 0x61

static void count_from(uint32_t counts)
{
        out8(COMMAND, 0x34); /* channel 0, low and high byte, rate generator */
        out8(CHANNEL_0, (uint8_t)counts);
        out8(CHANNEL_0, (uint8_t)(counts >> 8));
}

static uint16_t count_of(uint16_t channel, uint8_t latch)
{
        out8(COMMAND, latch);
        unsigned low = in8(channel);
        return (uint16_t)(low | (unsigned)in8(channel) << 8);
}

static uint32_t pit_left(void)
{
        return count_of(CHANNEL_0, 0x00);
}

const struct ticker pit_ticker = {"the PIT", count_from, pit_left, NULL, PIT_HZ};

void pit_reference_init(void)
{
        out8(SPEAKER, (in8(SPEAKER) & 0xfc) | 1); /* gate on, speaker off */
        out8(COMMAND, 0xb4);                      /* channel 2, low and high byte, rate generator */
        out8(CHANNEL_2, 0);
        out8(CHANNEL_2, 0); /* 2^16 */
}

uint16_t pit_reference(void)
{
        return count_of(CHANNEL_2, 0x80);
}
