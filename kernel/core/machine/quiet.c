/* quiet.c - the one place that makes the machine quiet: nothing else masks a line. */
#include "machine/quiet.h"
#include "above.h"
#include "cpu/current.h"
#include "cpu/work.h"
#include "machine/pic.h"
#include "machine/timer.h"

bool cpu_quiet;
const struct quiet_watch *quiet_watch;
static bool over;

void quiet_set(bool quiet)
{
        cpu_quiet = quiet;
        pic_mask(quiet);
        timer_mask(quiet);
        if (quiet_watch)
                quiet_watch->begin(quiet);
}

bool quiet_is_over(void)
{
        if (cpu_quiet && quiet_watch && quiet_watch->over()) {
                over = true;
                work_add(WORK_DEVICE);
        }
        return over;
}

void quiet_end(void)
{
        bool ends = over && cpu_quiet && cpu_current;
        over = false;
        if (ends)
                above.kill("it has been quiet for an hour");
}
