/* death.h - console messages about programs that the kernel kills, limited per second. */
#pragma once

#include <stdbool.h>

/* Begins the message that the current program is killed; the caller adds the reason and ends the
 * line. false: too many in this second, so it is only counted. */
bool death_said(void);

/* Prints how many were left out, and resets the count. */
void death_sum(void);
