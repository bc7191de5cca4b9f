/* rtc.h - the date, from the clock that runs on a battery. */
#ifndef TOLLGATE_DEV_RTC_H
#define TOLLGATE_DEV_RTC_H

#include <stdbool.h>
#include <stdint.h>

#define RTC_TEXT 24

/* The clock's registers, not decoded. */
struct rtc_registers {
        uint8_t seconds, minutes, hours, day, month, year, century, status_b;
};

#define RTC_BEATS 1024 /* a second */

/* Switches the beats on or off: no interrupt comes, because its line is masked. */
bool rtc_beats(bool on);
bool rtc_beat(void); /* waits for the next beat; false: none comes */

/* From now an hour on, and each hour, the line is raised (RTC_LINE), or never. False: nobody is
 * there. */
bool rtc_alarm(bool on);
bool rtc_rang(void); /* and now the line is low again */
#define RTC_LINE 8

uint32_t rtc_read(void); /* seconds since 1970 (UTC) */
/* The same of registers; 0 = they are no date of 1970 to 2105. */
uint32_t rtc_seconds(struct rtc_registers registers);
/* "2020-01-01 00:00:00" */
void rtc_text(char text[RTC_TEXT], uint32_t seconds);

#endif
