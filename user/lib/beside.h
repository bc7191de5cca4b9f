/*
 * beside.h - programs of other origins beside this one, while it is tried: at each tick the kernel
 * changes from one origin to another.
 */
#ifndef TOLLGATE_USER_LIB_BESIDE_H
#define TOLLGATE_USER_LIB_BESIDE_H

/* First in main(). With beside=others this program is started again from the folder of each other
 * origin, and the timer ticks BESIDE_HZ times a second. One that was so started makes getpid() by
 * each of its ways in, and does not return. */
#define BESIDE_HZ 20000
void beside_begin(char **argv);
/* Last: a check that they live, which one does not that has got a wrong answer. */
void beside_end(void);

#endif
