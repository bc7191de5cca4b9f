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

volatile uint32_t timer_ticks;
static uint32_t period;

void timer_rate(unsigned hertz)
{
        uint32_t divisor = PIT_HZ / hertz;
        uint64_t span = (uint64_t)divisor << 32;
        out8(PIT_COMMAND, 0x34); /* channel 0, low and high byte, rate generator */
        out8(PIT_CHANNEL_0, (uint8_t)divisor);
        out8(PIT_CHANNEL_0, (uint8_t)(divisor >> 8));
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

void (*timer_asked)(void);

void timer_interrupt(void)
{
        timer_ticks++;
        if (timer_asked)
                timer_asked();
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
        out8(PIT_COMMAND, 0x80); /* latch channel 2 */
        unsigned low = in8(PIT_CHANNEL_2);
        return (uint16_t)(low | (unsigned)in8(PIT_CHANNEL_2) << 8);
}
