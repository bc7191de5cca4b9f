/*
 * contexts.c - what a handler finds of the processor's state, and what sigreturn makes of it when
 * it has been changed: flags about SS, selectors that no program may have, addresses that are none.
 * At CPL 0 the selectors are the kernel's, so this is for programs at CPL 3.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define UC_FP_XSTATE 1
#define UC_STRICT_RESTORE_SS 4

static uint16_t own_cs, own_ss;
static uintptr_t cs, ss, ip, drop; /* what a handler is to make of its context; 0 = nothing */
static uintptr_t back;
#ifdef __i386__
static int es = -1;
#endif
static int repaired;

#ifdef __x86_64__
#define IP(uc) ((uc)->uc_mcontext.gregs[REG_RIP])
#define CS(uc) (((uint16_t *)&(uc)->uc_mcontext.gregs[REG_CSGSFS])[0])
#define SS(uc) (((uint16_t *)&(uc)->uc_mcontext.gregs[REG_CSGSFS])[3])
#else
#define IP(uc) ((uc)->uc_mcontext.gregs[REG_EIP])
#define CS(uc) ((uc)->uc_mcontext.gregs[REG_CS])
#define SS(uc) ((uc)->uc_mcontext.gregs[REG_SS])
#endif
#define TRAP(uc) ((int)(uc)->uc_mcontext.gregs[REG_TRAPNO])
#define ERROR(uc) ((int)(uc)->uc_mcontext.gregs[REG_ERR])

static const char *selector(unsigned value)
{
        static char text[16];
        if (value == own_cs || value == own_ss)
                return value == own_cs ? "the program's code" : "the program's data";
        snprintf(text, sizeof text, "%x", value);
        return text;
}

/* An error code is a selector without its level. */
static const char *error_text(int error)
{
        return selector(error && (error | 3) == own_cs   ? own_cs
                        : error && (error | 3) == own_ss ? own_ss
                                                         : (unsigned)error);
}

static void change(int signal, siginfo_t *info, void *context)
{
        ucontext_t *uc = context;
        (void)signal, (void)info;
        printf("=   flags %lx", uc->uc_flags & ~UC_FP_XSTATE);
        printf(", cs %s", selector(CS(uc)));
        printf(", ss %s\n", selector(SS(uc)));
        back = (uintptr_t)IP(uc);
        uc->uc_flags &= ~drop;
        if (cs)
                CS(uc) = (uint16_t)cs;
        if (ss)
                SS(uc) = (uint16_t)ss;
        if (ip)
                IP(uc) = ip;
#ifdef __i386__
        if (es >= 0)
                uc->uc_mcontext.gregs[REG_ES] = es;
#endif
}

static void repair(int signal, siginfo_t *info, void *context)
{
        ucontext_t *uc = context;
        printf("=   signal %d, code %d, address %lx, trap %d, error %s, ip %s", signal,
               info->si_code, (unsigned long)info->si_addr, TRAP(uc), error_text(ERROR(uc)),
               IP(uc) == (greg_t)back          ? "as before"
               : ip && (uintptr_t)IP(uc) == ip ? "the new one"
                                               : "another");
        printf(", cs %s", selector(CS(uc)));
        printf(", ss %s\n", selector(SS(uc)));
        CS(uc) = own_cs;
        SS(uc) = own_ss;
        IP(uc) = (greg_t)back;
        repaired++;
}

static void catch (int signal, void (*handler)(int, siginfo_t *, void *))
{
        struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
        sigaction(signal, &action, NULL);
}

/* Where the frame of a signal will be: what the kernel does not store in it is seen. */
static __attribute__((noinline)) void fill_stack(void)
{
        volatile char below[4096];
        for (unsigned i = 0; i < sizeof below; i++)
                below[i] = (char)0xe1;
}

static void ask(const char *what)
{
        repaired = 0;
        fill_stack();
        printf("= %s\n", what);
        raise(SIGUSR1);
        uint16_t now;
        __asm__ volatile("mov %%ss, %0" : "=r"(now));
        printf("=   goes on, repaired %d times, ss %s\n", repaired, selector(now));
        cs = ss = ip = drop = 0;
}

static void selectors(void)
{
        static const uint16_t none[] = {3, 0x13, 0x6b, 0xfff8, 0x2f8};
        char text[64];
        for (unsigned i = 0; i < 2 * sizeof none / sizeof *none; i++) {
                ss = none[i / 2];
                drop = i % 2 ? UC_STRICT_RESTORE_SS : 0;
                snprintf(text, sizeof text, "ss %x, flags less %x", (unsigned)ss, (unsigned)drop);
                ask(text);
        }
        for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
                cs = none[i];
                snprintf(text, sizeof text, "cs %x", (unsigned)cs);
                ask(text);
        }
        ss = own_cs;
        ask("code for a stack");
        ss = own_cs;
        drop = UC_STRICT_RESTORE_SS;
        ask("code for a stack, not strictly");
        cs = own_ss;
        ask("data for code");
        cs = own_cs & ~3;
        ss = own_ss & ~3;
        ask("selectors of level 0");
}

#ifdef __x86_64__
static sigjmp_buf place;

static void leave(int signal, siginfo_t *info, void *context)
{
        back = 0;
        repair(signal, info, context);
        siglongjmp(place, 1);
}

static void addresses(void)
{
        static const uintptr_t nowhere[] = {1ul << 47, 1ul << 63, 0x123456789abcdef0};
        for (unsigned i = 0; i < 3; i++) {
                ip = nowhere[i];
                ask("back to nowhere");
        }
        ip = ~0xffful << 8;
        ask("back into the kernel");
        catch (SIGSEGV, leave);
        for (unsigned i = 0; i < 3; i++) {
                ip = nowhere[i];
                catch (SIGUSR1, (void (*)(int, siginfo_t *, void *))nowhere[i]);
                printf("= a handler nowhere\n");
                if (!sigsetjmp(place, 1))
                        raise(SIGUSR1);
        }
        ip = 0;
        catch (SIGUSR1, change);
        catch (SIGSEGV, repair);
}

static void show_gs(const char *when)
{
        uint64_t base = 1;
        uint16_t selector;
        __asm__ volatile("mov %%gs, %0" : "=r"(selector));
        long result = syscall(SYS_arch_prctl, 0x1004, &base);
        printf("= gs %s: %ld, base %lx, selector %x\n", when, result, base, selector);
}

static void load_gs(uint16_t selector)
{
        __asm__ volatile("mov %0, %%gs" : : "r"(selector));
}

static void segments(void)
{
        show_gs("at first");
        printf("= %ld\n", syscall(SYS_arch_prctl, 0x1001, 0x12345));
        show_gs("with a base");
        load_gs(0x2b);
        show_gs("of the program's data");
        load_gs(0);
        show_gs("of nothing, after that");
        syscall(SYS_arch_prctl, 0x1001, 0x12345);
        raise(SIGUSR1);
        show_gs("after a handler");
        load_gs(0x2b);
        usleep(1000);
        show_gs("of the program's data, after a sleep");
        if (!fork()) {
                show_gs("of the program's data, in a child");
                fflush(stdout);
                _exit(0);
        }
        usleep(100000);
        syscall(SYS_arch_prctl, 0x1001, 0x12345);
        show_gs("with a base again");
        if (!fork()) {
                show_gs("with a base, in a child");
                fflush(stdout);
                _exit(0);
        }
        usleep(100000);
}
#else
static void addresses(void)
{
}

static void segments(void)
{
        static const uint16_t some[] = {0, 3, 0x10, 0xfff8, 0xc, 0x2fb};
        for (unsigned i = 0; i < sizeof some / sizeof *some; i++) {
                uint16_t now;
                es = some[i];
                printf("= es %x\n", (unsigned)es);
                raise(SIGUSR1);
                __asm__ volatile("mov %%es, %0; mov %1, %%es" : "=&r"(now) : "r"(own_ss));
                printf("=   %s\n", selector(now));
        }
        es = -1;
}
#endif

int main(void)
{
        setvbuf(stdout, NULL, _IOLBF, 0);
        __asm__ volatile("mov %%cs, %0" : "=r"(own_cs));
        __asm__ volatile("mov %%ss, %0" : "=r"(own_ss));
        catch (SIGUSR1, change);
        catch (SIGSEGV, repair);
        catch (SIGBUS, repair);
        ask("nothing changed");
        selectors();
        addresses();
        segments();
        return 0;
}
