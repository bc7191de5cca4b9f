/* quiet.c - makes the machine quiet; no other file masks lines. */
#include "machine/quiet.h"
#include "above.h"
#include "cpu/current.h"
#include "machine/pic.h"
#include "machine/timer.h"

void quiet_set(bool quiet)
{
        cpu_quiet = quiet;
        pic_mask(quiet);
        timer_mask(quiet);
        above.quiet(quiet ? QUIET_BEGINS : QUIET_OVER);
}
