/* order.h - the order in which a reader of the time loads (page.h). Tests have others in its place.
 */
#ifndef TOLLGATE_UNIX_CLOCK_ORDER_H
#define TOLLGATE_UNIX_CLOCK_ORDER_H

#define CLOCK_READ_FIRST number_2
#define CLOCK_READ_LAST number_1
#define CLOCK_TORN(first, last) ((first) != (last))
#define CLOCK_LOAD(word) (*(const volatile __typeof__(word) *)&(word))

#endif
