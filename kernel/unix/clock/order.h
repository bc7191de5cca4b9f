/* order.h - the order of loads for readers of the time (page.h). Tests replace this file. */
#ifndef TOLLGATE_UNIX_CLOCK_ORDER_H
#define TOLLGATE_UNIX_CLOCK_ORDER_H

#define CLOCK_READ_FIRST number_2
#define CLOCK_READ_LAST number_1
#define CLOCK_TORN(first, last) ((first) != (last))
#define CLOCK_LOAD(word) (*(const volatile __typeof__(word) *)&(word))

#endif
