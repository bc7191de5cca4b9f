/* timer.c - the 8254 timer (Intel data sheet of that name). */
#include "dev/timer.h"
#include "cpu/cpu.h"
#include "cpu/current.h"
#include "dev/pic.h"
#include "lib/printf.h"

#define PIT_CHANNEL_0 0x40
#define PIT_CHANNEL_2 0x42
#define PIT_COMMAND 0x43
#define SPEAKER 0x61
#define COUNTS_LEAST 2 /* of a rate generator */

volatile uint32_t timer_ticks;
static uint32_t period;
static uint32_t divisor, counting; /* counts of a tick; what channel 0 begins again with */
static uint32_t rest;              /* from the shot that is set to the tick; 0 = none is */

static void count_from(uint32_t counts)
{
        counting = counts;
        out8(PIT_COMMAND, 0x34); /* channel 0, low and high byte, rate generator */
        out8(PIT_CHANNEL_0, (uint8_t)counts);
        out8(PIT_CHANNEL_0, (uint8_t)(counts >> 8));
}

static uint16_t count_of(uint16_t channel, uint8_t latch)
{
        out8(PIT_COMMAND, latch);
        unsigned low = in8(channel);
        return (uint16_t)(low | (unsigned)in8(channel) << 8);
}

void timer_rate(unsigned hertz)
{
        divisor = PIT_HZ / hertz;
        rest = 0;
        count_from(divisor);
        uint64_t span = (uint64_t)divisor << 32;
        divide64(&span, PIT_HZ);
        period = (uint32_t)span;
}

uint32_t timer_period(void)
{
        return period;
}

void timer_init(void)
{
        timer_rate(TIMER_HZ);
}

void timer_quiet(bool quiet)
{
        cpu_quiet = quiet;
        pic_quiet(quiet);
}

void timer_shot(uint64_t span)
{
        if (span >= period)
                return;
        uint32_t counts = (uint32_t)(span * PIT_HZ >> 32) + 2; /* rounded up; one to be loaded */
        uint32_t left = count_of(PIT_CHANNEL_0, 0x00);
        if (counts + COUNTS_LEAST > left)
                return;
        rest += left - counts;
        count_from(counts);
}

void (*timer_asked)(bool tick);

void timer_interrupt(void)
{
        bool tick = !rest;
        timer_ticks += tick;
        if (counting != divisor || !tick)
                count_from(tick ? divisor : rest);
        rest = 0;
        if (timer_asked)
                timer_asked(tick);
}

void timer_reference_init(void)
{
        out8(SPEAKER, (in8(SPEAKER) & 0xfc) | 1); /* gate on, speaker off */
        out8(PIT_COMMAND, 0xb4);                  /* channel 2, low and high byte, rate generator */
        out8(PIT_CHANNEL_2, 0);
        out8(PIT_CHANNEL_2, 0); /* 2^16 */
}

uint16_t timer_reference(void)
{
        return count_of(PIT_CHANNEL_2, 0x80);
}
