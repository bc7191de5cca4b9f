/* rtc.c - the real-time clock (Motorola MC146818). Its registers are BCD or binary, with 12 or 24
 * hours, and must not be read during an update. The century is at 32h, where the PC/AT's successors
 * have it. */
#include "dev/rtc.h"
#include <stdbool.h>
#include "dev/cmos.h"
#include "lib/printf.h"

#define STATUS_A 0x0a
#define STATUS_A_UPDATE 0x80 /* an update is in progress or imminent */
#define STATUS_A_1024 0x26   /* the usual time base, 1,024 beats a second */
#define STATUS_B 0x0b
#define STATUS_B_BEATS 0x40
#define STATUS_B_ALARM 0x20
#define STATUS_C 0x0c /* cleared by reading it */
#define STATUS_C_BEAT 0x40
#define STATUS_C_ALARM 0x20
#define ANY_HOUR 0xff
#define TRIES 10
#define PATIENCE 100000 /* readings */
#define STATUS_B_24 0x02
#define STATUS_B_BINARY 0x04
#define HOURS_PM 0x80
#define DAY 86400u

static uint8_t rtc_number(uint8_t value, bool binary)
{
        return binary ? value : (uint8_t)((value >> 4) * 10 + (value & 15));
}

static unsigned hours(uint8_t value, uint8_t status_b)
{
        bool binary = status_b & STATUS_B_BINARY;
        if (status_b & STATUS_B_24)
                return rtc_number(value, binary);
        return rtc_number(value & ~HOURS_PM, binary) % 12 + (value & HOURS_PM ? 12 : 0);
}

/* The clock's registers, undecoded. */
struct rtc_registers {
        uint8_t seconds, minutes, hours, day, month, year, century, status_b;
};

static bool is_leap(unsigned year)
{
        return year % 4 == 0 && (year % 100 || year % 400 == 0);
}

static unsigned days_in(unsigned year, unsigned month)
{
        static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        return days[month - 1] + (month == 2 && is_leap(year));
}

/* Seconds from registers; 0 = not a date in 1970 to 2105. */
static uint32_t rtc_seconds(struct rtc_registers r)
{
        bool binary = r.status_b & STATUS_B_BINARY;
        unsigned year = rtc_number(r.year, binary), century = rtc_number(r.century, binary);
        unsigned month = rtc_number(r.month, binary), day = rtc_number(r.day, binary);
        unsigned hour = hours(r.hours, r.status_b), minute = rtc_number(r.minutes, binary);
        unsigned second = rtc_number(r.seconds, binary);
        if (year > 99 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 ||
            second > 60)
                return 0;
        if (century < 19 || century > 21)
                century = year < 70 ? 20 : 19; /* a clock without a century */
        year += 100 * century;
        if (year < 1970 || year > 2105 || day > days_in(year, month))
                return 0;
        uint32_t days = day - 1;
        for (unsigned m = 1; m < month; m++)
                days += days_in(year, m);
        for (unsigned y = 1970; y < year; y++)
                days += 365 + is_leap(y);
        return days * DAY + hour * 3600 + minute * 60 + second;
}

void rtc_text(char text[RTC_TEXT], uint32_t seconds)
{
        unsigned days = seconds / DAY, rest = seconds % DAY, year = 1970, month = 1;
        for (; days >= 365u + is_leap(year); year++)
                days -= 365u + is_leap(year);
        for (; days >= days_in(year, month); month++)
                days -= days_in(year, month);
        snprintf(text, RTC_TEXT, "%04u-%02u-%02u %02u:%02u:%02u", year, month, days + 1,
                 rest / 3600, rest / 60 % 60, rest % 60);
}

static struct rtc_registers registers(void)
{
        return (struct rtc_registers){
                .seconds = cmos_get(0),
                .minutes = cmos_get(2),
                .hours = cmos_get(4),
                .day = cmos_get(7),
                .month = cmos_get(8),
                .year = cmos_get(9),
                .century = cmos_get(0x32),
                .status_b = cmos_get(STATUS_B),
        };
}

bool rtc_beats(bool on)
{
        if (cmos_get(STATUS_A) == 0xff)
                return false; /* nobody answers */
        uint8_t b = cmos_get(STATUS_B);
        cmos_put(STATUS_A, STATUS_A_1024);
        cmos_put(STATUS_B, on ? b | STATUS_B_BEATS : b & (uint8_t)~STATUS_B_BEATS);
        cmos_get(STATUS_C);
        return true;
}

bool rtc_beat(void)
{
        for (unsigned i = 0; i < PATIENCE; i++)
                if (cmos_get(STATUS_C) & STATUS_C_BEAT)
                        return true;
        return false;
}

bool rtc_rang(void)
{
        return cmos_get(STATUS_C) & STATUS_C_ALARM;
}

/* The alarm's seconds and minutes follow the clock's, and are set to the current ones, which are
 * valid if they read the same twice. Any hour matches. */
bool rtc_alarm(bool on)
{
        if (cmos_get(STATUS_A) == 0xff)
                return false;
        uint8_t b = cmos_get(STATUS_B) & (uint8_t)~STATUS_B_ALARM, second, minute;
        cmos_put(STATUS_B, b);
        for (unsigned i = 0; on && i < TRIES; i++) {
                second = cmos_get(0);
                minute = cmos_get(2);
                cmos_put(1, second);
                cmos_put(3, minute);
                cmos_put(5, ANY_HOUR);
                if (second == cmos_get(0) && minute == cmos_get(2))
                        break;
        }
        rtc_rang();
        if (on)
                cmos_put(STATUS_B, b | STATUS_B_ALARM);
        return true;
}

/* Reads outside an update, the same twice; gives up if the clock is always updating. */
uint32_t rtc_read(void)
{
        uint32_t before = 0, now = 0;
        for (unsigned i = 0; i < PATIENCE; i++) {
                if (cmos_get(STATUS_A) & STATUS_A_UPDATE)
                        continue;
                now = rtc_seconds(registers());
                if (now == before)
                        break;
                before = now;
        }
        return now;
}
