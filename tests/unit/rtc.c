/* rtc.c - dates of the real-time clock (kernel/dev/rtc.h), against the host's calendar. */
#include "unit.h"
#include <time.h>
#include "dev/rtc.h"

#define BINARY 0x04
#define HOURS_24 0x02

static struct rtc_registers now; /* what the clock reads */
static unsigned in_update;       /* readings of status A that say so */

void cmos_put(unsigned at, uint8_t value)
{
        (void)at, (void)value;
}

uint8_t cmos_get(unsigned at);
uint8_t cmos_get(unsigned at)
{
        switch (at) {
        case 0: return now.seconds;
        case 2: return now.minutes;
        case 4: return now.hours;
        case 7: return now.day;
        case 8: return now.month;
        case 9: return now.year;
        case 0x0a: return in_update && in_update-- ? 0x80 : 0;
        case 0x0b: return now.status_b;
        case 0x32: return now.century;
        default: return 0xff;
        }
}

static uint8_t as(unsigned value, bool binary)
{
        return (uint8_t)(binary ? value : value / 10 * 16 + value % 10);
}

static struct rtc_registers registers_of(uint32_t seconds, uint8_t status_b)
{
        time_t when = seconds;
        struct tm tm;
        bool binary = status_b & BINARY;
        assert_non_null(gmtime_r(&when, &tm));
        unsigned year = (unsigned)tm.tm_year + 1900, hour = (unsigned)tm.tm_hour;
        uint8_t hours = as(status_b & HOURS_24 ? hour : (hour + 11) % 12 + 1, binary);
        if (!(status_b & HOURS_24) && hour >= 12)
                hours |= 0x80;
        return (struct rtc_registers){.seconds = as((unsigned)tm.tm_sec, binary),
                                      .minutes = as((unsigned)tm.tm_min, binary),
                                      .hours = hours,
                                      .day = as((unsigned)tm.tm_mday, binary),
                                      .month = as((unsigned)tm.tm_mon + 1, binary),
                                      .year = as(year % 100, binary),
                                      .century = as(year / 100, binary),
                                      .status_b = status_b};
}

static void every_date_in_every_way_to_write_it(void **state)
{
        (void)state;
        for (int i = 0; i < 100000; i++) {
                uint32_t seconds = (uint32_t)chance_below(4291747200u); /* to the end of 2105 */
                uint8_t status_b = (uint8_t)chance_below(4) * 2;
                assert_int_equal(rtc_seconds(registers_of(seconds, status_b)), seconds);
                now = registers_of(seconds, status_b);
                in_update = (unsigned)chance_below(5);
                assert_int_equal(rtc_read(), seconds);
        }
}

static void a_clock_without_a_century(void **state)
{
        (void)state;
        for (unsigned century = 0; century < 256; century += 255) {
                struct rtc_registers r = registers_of(1577836800, HOURS_24); /* 2020 */
                r.century = (uint8_t)century;
                assert_int_equal(rtc_seconds(r), 1577836800);
                r = registers_of(946684799, HOURS_24); /* 1999 */
                r.century = (uint8_t)century;
                assert_int_equal(rtc_seconds(r), 946684799);
        }
}

static void what_is_no_date_is_none(void **state)
{
        (void)state;
        const struct rtc_registers good = registers_of(1577836800, HOURS_24);
        struct rtc_registers r = good;
        r.month = 0x13;
        assert_int_equal(rtc_seconds(r), 0);
        r = good;
        r.day = 0x32;
        assert_int_equal(rtc_seconds(r), 0);
        r = (struct rtc_registers){.status_b = HOURS_24};
        assert_int_equal(rtc_seconds(r), 0);
        memset(&r, 0xff, sizeof r); /* no chip */
        assert_int_equal(rtc_seconds(r), 0);
        now = r;
        in_update = ~0u;
        assert_int_equal(rtc_read(), 0);
}

static void a_date_in_words(void **state)
{
        (void)state;
        char text[RTC_TEXT], expected[RTC_TEXT];
        for (int i = 0; i < 10000; i++) {
                time_t seconds = (time_t)chance_below(4291747200u);
                struct tm tm;
                strftime(expected, sizeof expected, "%Y-%m-%d %H:%M:%S", gmtime_r(&seconds, &tm));
                rtc_text(text, (uint32_t)seconds);
                assert_string_equal(text, expected);
        }
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(every_date_in_every_way_to_write_it),
                cmocka_unit_test(a_clock_without_a_century),
                cmocka_unit_test(what_is_no_date_is_none),
                cmocka_unit_test(a_date_in_words),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
