/* direct.c - which of glibc's calls enter the kernel as function calls (i386: call *%gs:0x10, where
 * start-up stored AT_SYSINFO). A hardware breakpoint at the direct call's entry counts each once.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "toll.h"

#define TOLL_ROW 500 /* kernel/unix/sys.def */
#define TOLL_WATCH 505

static long by_int(long number, long a, void *b)
{
        __asm__ volatile("int $0x80" : "+a"(number) : "b"(a), "c"(b) : "memory");
        return number;
}

static unsigned hits(void)
{
        struct toll_counts counts;
        by_int(TOLL_ROW, TOLL_COUNTS, &counts);
        return counts.watch_hits;
}

static void get_pid(void)
{
        getpid();
}

static void write_nothing(void)
{
        if (write(1, "", 0))
                _exit(2);
}

static void map(void)
{
        munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
}

static void fork_and_wait(void)
{
        pid_t pid = fork();
        if (!pid)
                _exit(0);
        waitpid(pid, NULL, 0);
}

static void ignore(int signal)
{
}

static void send(void)
{
        signal(SIGUSR1, ignore);
        raise(SIGUSR1);
}

static void fail_to_execute(void)
{
        execl("/no/such/program", "program", NULL);
}

/* A signal with SA_RESTART interrupts wait4(). */
static const char *wait_again(void)
{
        struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
        sigaction(SIGUSR1, &action, NULL);
        pid_t pid = fork();
        if (!pid) {
                usleep(30000), kill(getppid(), SIGUSR1), usleep(30000);
                _exit(0);
        }
        return waitpid(pid, NULL, 0) == pid ? "made again" : "failed";
}

static const struct {
        const char *name;
        void (*call)(void);
} calls[] = {
        {"getpid", get_pid},     {"write", write_nothing}, {"mmap", map},
        {"fork", fork_and_wait}, {"signal", send},         {"execve", fail_to_execute},
};

int main(void)
{
        struct toll_row row;
        long at = -1;
        for (long i = 0; !by_int(TOLL_ROW, i, &row); i++)
                if (!strcmp(row.id, "trusted/call/standard"))
                        at = row.entry[0];
        for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
                unsigned before = hits();
                by_int(TOLL_WATCH, at, NULL);
                calls[i].call();
                by_int(TOLL_WATCH, -1, NULL);
                printf("%s: %s\n", calls[i].name, hits() != before ? "a direct call" : "a gate");
        }
        printf("wait4: %s\n", wait_again());
        return 0;
}
