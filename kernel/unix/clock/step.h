/* step.h - updates the page one store at a time: for tests of its readers. */
#ifndef TOLLGATE_UNIX_CLOCK_STEP_H
#define TOLLGATE_UNIX_CLOCK_STEP_H

/* Makes store `step` of an update, counted from 0 in the order of CLOCK_STORES (page.h), and
 * returns the number of stores; -EINVAL if it is not next. The update has another moment and rate
 * than the last one and is as accurate: complete readings differ by less than 2 us. */
long clock_step(long step);

#endif
