/* fixed.c - the vsyscalls of Linux, by their addresses: what a program from before the vDSO calls.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
        long (*gettime)(struct timeval *, void *) = (void *)0xffffffffff600000ul;
        long (*seconds)(time_t *) = (void *)0xffffffffff600400ul;
        long (*processor)(unsigned *, unsigned *, void *) = (void *)0xffffffffff600800ul;
        struct timeval now;
        unsigned cpu = 99, node = 99;
        long told = seconds(NULL) - time(NULL);
        printf("fixed: time %s\n", told >= -1 && told <= 1 ? "right" : "WRONG");
        gettime(&now, NULL);
        told = now.tv_sec - time(NULL);
        printf("fixed: gettimeofday %s\n", told >= -1 && told <= 1 ? "right" : "WRONG");
        processor(&cpu, &node, NULL);
        printf("fixed: getcpu %s\n", cpu < 99 && node < 99 ? "right" : "WRONG");
        return 0;
}
