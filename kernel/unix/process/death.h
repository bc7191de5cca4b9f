/* death.h - console messages about programs that the kernel kills, limited per second. */
#pragma once
#include <stdbool.h>

struct process;
/* Begins the message that a program is killed; the caller adds the reason and ends the line. false:
 * too many in this second, so it is only counted. */
bool death_said(const struct process *process);

/* Prints how many were left out, and resets the count. */
void death_sum(void);
