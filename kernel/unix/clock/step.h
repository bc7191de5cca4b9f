/* step.h - an update of the page, one store after the other: for tests of its readers. */
#ifndef TOLLGATE_UNIX_CLOCK_STEP_H
#define TOLLGATE_UNIX_CLOCK_STEP_H

/* Makes store `step` of an update, counted from 0 in the order of CLOCK_STORES (page.h), and
 * returns how many there are; -EINVAL if its turn has not come. The update has another moment and
 * another rate than the last one, and is as true: no reading that is whole differs by 2 us. */
long clock_step(long step);

#endif
