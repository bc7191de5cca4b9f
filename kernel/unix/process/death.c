/* death.c - console messages about programs that the kernel kills, limited per second.
 *
 * A program whose children keep dying would fill the serial line and hide other output. */
#include "process/death.h"
#include "clock/clock.h"
#include "machine/console.h"
#include "process/process.h"

#define SAID_MOST 50 /* per second */

static uint32_t second; /* start of the counted second: its first message */
static unsigned said, left_out;

void death_sum(void)
{
        if (left_out)
                say("tollgate: %u more programs were killed; %u a second are told\n", left_out,
                    SAID_MOST);
        said = left_out = 0;
}

bool death_said(const struct process *process)
{
        uint32_t now = (uint32_t)(clock_now() >> 32);
        if (now != second)
                death_sum();
        second = now;
        if (said == SAID_MOST) {
                left_out++;
                return false;
        }
        said++;
        say("%s: killed", process->path);
        return true;
}
