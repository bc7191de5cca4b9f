/* timer.c - the 8254 timer (Intel data sheet of that name). */
#include "dev/timer.h"
#include "cpu/cpu.h"
#include "cpu/current.h"
#include "dev/pic.h"

#define PIT_HZ 1193182
#define PIT_CHANNEL_0 0x40
#define PIT_CHANNEL_2 0x42
#define PIT_COMMAND 0x43
#define SPEAKER 0x61

volatile uint32_t timer_ticks;

void timer_rate(unsigned hertz)
{
        unsigned divisor = PIT_HZ / hertz;
        out8(PIT_COMMAND, 0x34); /* channel 0, low and high byte, rate generator */
        out8(PIT_CHANNEL_0, (uint8_t)divisor);
        out8(PIT_CHANNEL_0, (uint8_t)(divisor >> 8));
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

uint64_t timer_tsc_hz(void)
{
        const unsigned parts = 50; /* of a second: 20 ms */
        unsigned count = PIT_HZ / parts;
        out8(SPEAKER, (in8(SPEAKER) & 0xfc) | 1); /* gate on, speaker off */
        out8(PIT_COMMAND, 0xb0);                  /* channel 2, interrupt on terminal count */
        out8(PIT_CHANNEL_2, (uint8_t)count);
        out8(PIT_CHANNEL_2, (uint8_t)(count >> 8));
        uint64_t start = tsc_read();
        for (unsigned i = 0; !(in8(SPEAKER) & 0x20); i++)
                if (i > 10000000)
                        return 0;
        return (tsc_read() - start) * parts;
}
