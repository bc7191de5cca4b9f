/* unchecked.c - reads in the right order, but does not compare the numbers. */
#define TOLLGATE_UNIX_CLOCK_ORDER_H /* instead of the kernel's */
#define CLOCK_READ_FIRST number_2
#define CLOCK_READ_LAST number_1
#define CLOCK_TORN(first, last) ((void)(first), (void)(last), false)
#define CLOCK_LOAD(word) (*(const volatile __typeof__(word) *)&(word))
#include "reader.h"

int unchecked(const struct clock_page *page, struct timespec *to)
{
        return read_time(page, to);
}
