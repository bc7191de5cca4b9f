/* swapped.c - reads number 1, the data, number 2. */
#define TOLLGATE_UNIX_CLOCK_ORDER_H /* instead of the kernel's */
#define CLOCK_READ_FIRST number_1
#define CLOCK_READ_LAST number_2
#define CLOCK_TORN(first, last) ((first) != (last))
#define CLOCK_LOAD(word) (*(const volatile __typeof__(word) *)&(word))
#include "reader.h"

int swapped(const struct clock_page *page, struct timespec *to)
{
        return read_time(page, to);
}
