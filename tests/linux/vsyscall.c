/* vsyscall.c - how a static program with a real libc reads the time. Single-stepped (TF, SIGTRAP),
 * it counts its own system calls, and checks at each instruction whether libgcc's unwinder reaches
 * main. It is independent of Tollgate. */
#define _GNU_SOURCE
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#ifndef __GLIBC__
#define find_main() 1 /* Debian's libgcc_eh is built for glibc */
#else
#include <unwind.h>

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *found);
static int find_main(void)
{
        int found = 0;
        _Unwind_Backtrace(look, &found);
        return found;
}
#endif

#if __x86_64__
#define IP REG_RIP
#else
#define IP REG_EIP
#endif

static volatile unsigned steps, in_image, calls, lost;
static uintptr_t image, lost_at;
int main(int argc, char **argv);

#ifdef __GLIBC__
static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *found)
{
        uintptr_t ip = _Unwind_GetIP(context);
        if (ip && _Unwind_FindEnclosingFunction((void *)ip) == (void *)main)
                *(int *)found = 1;
        return _URC_NO_REASON;
}
#endif

static void step(int signal, siginfo_t *info, void *at)
{
        const ucontext_t *context = at;
        const unsigned char *ip = (const unsigned char *)context->uc_mcontext.gregs[IP];
        steps++;
        calls += !memcmp(ip, "\x0f\x05", 2) || !memcmp(ip, "\xcd\x80", 2) ||
                 !memcmp(ip, "\x0f\x34", 2);
        if ((uintptr_t)ip - image < 0x2000) {
                int found = find_main();
                in_image++;
                lost += !found;
                if (!found && !lost_at)
                        lost_at = (uintptr_t)ip;
        }
}

#if __x86_64__
#define STEPPING_ON "pushfq; orq $0x100, (%%rsp); popfq"
#define STEPPING_OFF "pushfq; andq $~0x100, (%%rsp); popfq"
#else
#define STEPPING_ON "pushfl; orl $0x100, (%%esp); popfl"
#define STEPPING_OFF "pushfl; andl $~0x100, (%%esp); popfl"
#endif
#define STEPPED(code)                                                                              \
        do {                                                                                       \
                steps = in_image = calls = lost = 0;                                               \
                lost_at = 0;                                                                       \
                __asm__ volatile(STEPPING_ON : : : "memory", "cc");                                \
                code;                                                                              \
                __asm__ volatile(STEPPING_OFF : : : "memory", "cc");                               \
                printf("%s: %u calls, %u steps, %u in the image, %u lost (%#lx)\n", #code, calls,  \
                       steps, in_image, lost, (unsigned long)lost_at);                             \
        } while (0)

int main(int argc, char **argv)
{
        struct timeval tv = {0, 0};
        struct timespec ts = {0, 0}, mono = {0, 0};
        struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
        time_t now = 0;
        image = getauxval(AT_SYSINFO_EHDR);
        sigaction(SIGTRAP, &action, NULL);
        setvbuf(stdout, NULL, _IOLBF, 0);
        clock_gettime(CLOCK_REALTIME, &ts); /* musl looks for the image at the first call */
        STEPPED(clock_gettime(CLOCK_REALTIME, &ts));
        STEPPED(clock_gettime(CLOCK_MONOTONIC, &mono));
        STEPPED(clock_gettime(CLOCK_MONOTONIC_COARSE, &mono));
        STEPPED(gettimeofday(&tv, NULL));
        STEPPED(now = time(NULL));
        printf("vsyscall: %ld %ld %ld\n", (long)ts.tv_sec, (long)tv.tv_sec, (long)now);
        STEPPED(getppid());
        return 0;
}
