/* fixed.c - Linux's vsyscalls at their addresses, as programs from before the vDSO call them. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define PAGE 0xffffffffff600000ul

static volatile int caught;
static sigjmp_buf back;

static void catch (int signal)
{
        caught = signal;
        siglongjmp(back, 1);
}

/* The page is unreadable, and no other address in it or behind it can be called. */
static void refused(const char *name, unsigned long at, int call)
{
        caught = 0;
        if (!sigsetjmp(back, 1)) {
                if (call)
                        ((void (*)(void))at)();
                else
                        (void)*(volatile char *)at;
        }
        printf("fixed: %s %s\n", name, caught == SIGSEGV ? "right" : "WRONG");
}

static void listed(void)
{
        char line[256], access[5];
        unsigned long start, end;
        int found = 0;
        FILE *maps = fopen("/proc/self/maps", "r");
        while (maps && fgets(line, sizeof line, maps))
                found += strstr(line, "[vsyscall]") &&
                         sscanf(line, "%lx-%lx %4s", &start, &end, access) == 3 && start == PAGE &&
                         end == PAGE + 4096 && !strcmp(access, "--xp");
        printf("fixed: maps %s\n", found == 1 ? "right" : "WRONG");
}

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
        signal(SIGSEGV, catch);
        refused("reading", PAGE, 0);
        refused("calling beside", PAGE + 0x10, 1);
        refused("calling a fourth", PAGE + 0xc00, 1);
        refused("calling behind", PAGE + 4096, 1);
        listed();
        return 0;
}
