/* rtc.h - the date, from the battery-backed clock. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define RTC_TEXT 24

#define RTC_BEATS 1024 /* a second */

/* Switches the beats on or off. Its line is masked, so they do not interrupt. */
bool rtc_beats(bool on);
bool rtc_beat(void); /* waits for the next beat; false: none */

/* Raises the line (RTC_LINE) in an hour, and every hour after; or never. False: no clock. */
bool rtc_alarm(bool on);
bool rtc_rang(void); /* true if it rang; the line is low again */
#define RTC_LINE 8

uint32_t rtc_read(void); /* seconds since 1970 (UTC) */
/* "2020-01-01 00:00:00" */
void rtc_text(char text[RTC_TEXT], uint32_t seconds);
