/* beside.h - runs programs of other origins in parallel during a test, so that each tick switches
 * between origins. */
#pragma once
/* Call first in main(). With beside=others this program is started again from the folder of each
 * other origin, and the timer ticks BESIDE_HZ times a second. A copy started so calls getpid() by
 * each of its ways in, and does not return. */
#define BESIDE_HZ 20000
void beside_begin(char **argv);
/* Call last: checks that they are alive; one ends at a wrong result. */
void beside_end(void);
