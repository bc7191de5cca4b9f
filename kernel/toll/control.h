/* control.h - the controls of entry/pair.asm, read by the kernel itself. */
#ifndef TOLLGATE_TOLL_CONTROL_H
#define TOLLGATE_TOLL_CONTROL_H

#include <stdint.h>

/* The difference of two stamps with a loop of so many rounds between: 0, LOOP_ROUNDS or twice that
 * many. Before a process exists the stamps go elsewhere. */
int64_t control_read(unsigned rounds);

#endif
