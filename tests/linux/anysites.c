/* anysites.c - library functions that make calls of any number, byte by byte (forms in
 * arch/amd64/site.c), in a trusted program: each has the same effect as on Linux. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

typedef long made(long, long, long, long, long, long, long);
made cancel, arch, posix, go, diet, klibc;
/* cancel: six arguments, and the number on the stack. arch: a word that is stored, the number,
 * arguments. The others: the number first. */
__asm__("cancel: push %rbx; mov %rcx,%r10; mov 16(%rsp),%rax; syscall; pop %rbx; ret\n"
        "arch: mov %rdi,%r11; mov %rsi,%rax; mov %rdx,%rdi; mov %rcx,%rsi; mov %r8,%rdx\n"
        "      mov %r9,%r10; mov %r11,8(%rsp); syscall; ret\n"
        "posix: mov %rdi,%rax; mov %r8,%r10; mov %rsi,%rdi; mov %r9,%r8; mov %rdx,%rsi\n"
        "      mov 8(%rsp),%r9; mov %rcx,%rdx; syscall; ret\n"
        "go:   push %rbx; mov %rdi,%rax; mov %rsi,%rbx; mov %rcx,%rdi; mov %rdx,%rcx; mov "
        "%r8,%rsi\n"
        "      mov %rsi,%r10; mov %rdi,%rdx; mov %rcx,%rsi; mov %rbx,%rdi; syscall\n"
        "      cmp $-4095,%rax; pop %rbx; ret\n"
        "diet: mov %rdi,%rax; mov %rsi,%rdi; mov %rdx,%rsi; mov %rcx,%rdx; mov %r8,%rcx\n"
        "      movzwl %ax,%eax; mov %rcx,%r10; syscall; cmp $-132,%rax; ret\n"
        "klibc: mov %rdi,%rax; mov %rsi,%rdi; mov %rdx,%rsi; mov %rcx,%rdx; mov %r8,%rcx\n"
        "      mov %rcx,%r10; syscall; cmp $-4095,%rax; jae 1f; ret\n"
        "1:    neg %eax; neg %eax; cltq; ret\n");

static const char *const names[] = {"cancel", "arch", "posix", "go", "diet", "klibc"};
static int form, failures;

static long any(long number, long a, long b, long c, long d)
{
        switch (form) {
        case 0: return cancel(a, b, c, d, 0, 0, number);
        case 1: return arch(7, number, a, b, c, d, 0);
        default:
                return ((made *const[]){posix, go, diet, klibc}[form - 2])(number, a, b, c, d, 0,
                                                                           0);
        }
}

static void expect(int good, const char *what)
{
        failures += !good;
        if (!good)
                printf("%s, %s: WRONG\n", names[form], what);
}

static volatile sig_atomic_t signals, outside;
static int ends[2];

static void note(int number, siginfo_t *info, void *context)
{
        uintptr_t ip = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
        signals++;
        outside += ip >> 47 != 0;
        if (number == SIGUSR1 && write(ends[1], "x", 1) != 1)
                outside++;
}

static void handle(int number, int flags)
{
        struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | flags};
        sigaction(number, &action, NULL);
}

static void answers(void)
{
        char byte = 0;
        int status = 0;
        expect(any(SYS_getpid, 0, 0, 0, 0) == getpid(), "getpid");
        expect(any(SYS_write, ends[1], (long)"ab", 2, 0) == 2, "write");
        expect(any(SYS_pread64, ends[0], (long)&byte, 1, 0) == -ESPIPE, "an error, four arguments");
        expect(any(SYS_read, ends[0], (long)&byte, 1, 0) == 1 && byte == 'a', "read");
        expect(any(SYS_read, ends[0], (long)&byte, 1, 0) == 1 && byte == 'b', "read again");
        expect(any(SYS_write, ends[1], 1, 1, 0) == -EFAULT, "nowhere");
        expect(any(480, 0, 0, 0, 0) == -ENOSYS, "no such call");
        expect(any(0x7fff, 0, 0, 0, 0) == -ENOSYS, "far from any call");
        long child = any(SYS_fork, 0, 0, 0, 0);
        if (!child)
                any(SYS_exit_group, 5 + form, 0, 0, 0);
        expect(any(SYS_wait4, child, (long)&status, 0, 0) == child, "wait4");
        expect(WEXITSTATUS(status) == 5 + form, "a child's status");
}

/* A sleeping read that a signal handler ends: restarted automatically, or not. */
static void restarts(void)
{
        char byte = 0;
        for (int again = 0; again < 2; again++) {
                handle(SIGUSR1, again ? SA_RESTART : 0);
                long child = fork();
                if (!child) {
                        usleep(20000);
                        kill(getppid(), SIGUSR1);
                        _exit(0);
                }
                long n = any(SYS_read, ends[0], (long)&byte, 1, 0);
                waitpid((pid_t)child, NULL, 0);
                expect(n == (again ? 1 : -EINTR), again ? "made again" : "EINTR");
                if (!again)
                        expect(read(ends[0], &byte, 1) == 1, "what the handler wrote");
        }
}

static void storm(void)
{
        struct itimerval often = {{0, 0}, {0, 0}}, never = {{0, 0}, {0, 0}};
        long pid = getpid(), wrong = 0;
        handle(SIGALRM, SA_RESTART);
        signals = 0;
        for (int us = 145; us < 154; us++) { /* several, as one may always come in the same place */
                often.it_value.tv_usec = often.it_interval.tv_usec = us;
                setitimer(ITIMER_REAL, &often, NULL);
                for (long all = signals + 100; signals < all;)
                        for (int i = 0; i < 100; i++) {
                                wrong += any(SYS_getpid, 0, 0, 0, 0) != pid;
                                wrong += any(SYS_close, -1, 0, 0, 0) != -EBADF;
                        }
        }
        setitimer(ITIMER_REAL, &never, NULL);
        expect(!wrong, "answers among signals");
}

static void steps(void)
{
        long pid = getpid();
        handle(SIGTRAP, 0);
        signals = 0;
        __asm__ volatile("pushf; orl $0x100,(%%rsp); popf" ::: "memory", "cc");
        long told = any(SYS_getpid, 0, 0, 0, 0);
        __asm__ volatile("pushf; andl $~0x100,(%%rsp); popf" ::: "memory", "cc");
        expect(told == pid && signals > 10, "step by step");
}

/* A child makes all text writable: it cannot return to it. */
static void write_text(void)
{
        extern char __executable_start, etext;
        int status = 0;
        long child = fork();
        if (!child)
                _exit(mprotect(&__executable_start, (size_t)(&etext - &__executable_start),
                               PROT_READ | PROT_WRITE));
        waitpid((pid_t)child, &status, 0);
        expect(status == SIGSEGV, "text that is written is not executed");
}

int main(void)
{
        setvbuf(stdout, NULL, _IONBF, 0);
        if (pipe(ends))
                return 2;
        for (form = 0; form < 6; form++) {
                answers();
                restarts();
                storm();
                steps();
                expect(!outside, "handlers find the program");
                printf("%s: done\n", names[form]);
        }
        write_text();
        printf("anysites: %d failures\n", failures);
        return failures != 0;
}
