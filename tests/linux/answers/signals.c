/* signals.c - what a handler is told of a signal, and how many of them come. */
#include "answers.h"
#include <pthread.h>
#include <sys/types.h>

static volatile int count, code, value, order[8];
static volatile pid_t sender;

static void note_info(int signal, siginfo_t *info, void *context)
{
        (void)context;
        if (count < 8)
                order[count] = signal;
        count++;
        code = info->si_code;
        sender = info->si_pid;
        value = info->si_value.sival_int;
}

#define SHOW(call) (count = code = sender = value = 0, ASK(call), show())
static void show(void)
{
        printf("=   caught %d, code %d, from %s, value %d\n", count, code,
               !sender               ? "nobody"
               : sender == getpid()  ? "itself"
               : sender == getppid() ? "its parent"
                                     : "another",
               value);
}

static long queue(int signal, int how, int with)
{
        siginfo_t info = {.si_code = how};
        info.si_pid = getpid();
        info.si_value.sival_int = with;
        return syscall(SYS_rt_sigqueueinfo, getpid(), signal, &info);
}

static long queue_thread(int signal, int how, int with)
{
        siginfo_t info = {.si_code = how};
        info.si_pid = getpid();
        info.si_value.sival_int = with;
        return syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), signal, &info);
}

static long thread_kill(int signal)
{
        return syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

static void told(int signal)
{
        catch_info(signal, note_info);
        SHOW(kill(getpid(), signal));
        SHOW(thread_kill(signal));
        SHOW(sigqueue(getpid(), signal, (union sigval){42}));
        SHOW(queue(signal, SI_QUEUE, 7));
        SHOW(queue_thread(signal, SI_QUEUE, 8));
        SHOW(queue_thread(signal, SI_TIMER, 9));
}

/* To others no program may say that it is the kernel, or kill(). */
static void refused(void)
{
        siginfo_t info = {.si_code = SI_USER};
        ASK(syscall(SYS_rt_sigqueueinfo, getppid(), 0, &info));
        info.si_code = SI_TKILL;
        ASK(syscall(SYS_rt_sigqueueinfo, getppid(), 0, &info));
        info.si_code = SI_KERNEL;
        ASK(syscall(SYS_rt_sigqueueinfo, getppid(), 0, &info));
        info.si_code = SI_QUEUE;
        ASK(syscall(SYS_rt_sigqueueinfo, getppid(), 0, &info));
        ASK(syscall(SYS_rt_sigqueueinfo, getppid(), 65, &info));
        ASK(syscall(SYS_rt_sigqueueinfo, 0x7fffffff, SIGUSR1, &info));
        ASK(syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, 8));
        ASK(syscall(SYS_rt_tgsigqueueinfo, getpid(), 0, SIGUSR1, &info));
        ASK(sigqueue(getppid(), 0, (union sigval){0}));
        ASK(kill(getpid(), 65));
        ASK(kill(getpid(), -1));
}

static void *say_from_thread(void *argument)
{
        siginfo_t info = {.si_code = SI_USER};
        ASK(syscall(SYS_rt_sigqueueinfo, getpid(), 0, &info));
        ASK(syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), 0, &info));
        info.si_code = SI_QUEUE;
        ASK(syscall(SYS_rt_sigqueueinfo, getpid(), 0, &info));
        return argument;
}

/* Nor may a thread that is not the program's first say so to the program. */
static void refused_to_a_thread(void)
{
        pthread_t thread;
        pthread_create(&thread, NULL, say_from_thread, NULL);
        pthread_join(thread, NULL);
}

/* Of one below 32 the first stays; real-time ones all come, in their order, the lower ones first.
 */
static void queued(void)
{
        sigset_t some, none;
        int low = SIGRTMIN + 1, high = SIGRTMIN + 2;
        sigemptyset(&none);
        sigemptyset(&some);
        sigaddset(&some, SIGUSR2);
        sigaddset(&some, low);
        sigaddset(&some, high);
        catch_info(SIGUSR2, note_info);
        catch_info(low, note_info);
        catch_info(high, note_info);
        sigprocmask(SIG_BLOCK, &some, NULL);
        count = 0;
        sigqueue(getpid(), high, (union sigval){1});
        sigqueue(getpid(), low, (union sigval){2});
        sigqueue(getpid(), low, (union sigval){3});
        sigqueue(getpid(), SIGUSR2, (union sigval){4});
        sigqueue(getpid(), SIGUSR2, (union sigval){5});
        sigqueue(getpid(), high, (union sigval){6});
        ASK(sigpending(&none));
        ASK(sigismember(&none, low));
        sigprocmask(SIG_UNBLOCK, &some, NULL);
        ASK(count);
        for (int i = 0; i < count; i++)
                ASK(order[i] - (order[i] >= SIGRTMIN ? SIGRTMIN : 0));
        ASK(value);

        /* what is ignored meanwhile is forgotten */
        sigprocmask(SIG_BLOCK, &some, NULL);
        sigqueue(getpid(), low, (union sigval){2});
        signal(low, SIG_IGN);
        catch_info(low, note_info);
        count = 0;
        sigprocmask(SIG_UNBLOCK, &some, NULL);
        ASK(count);
}

static void queue_to_parent(void)
{
        sigqueue(getppid(), SIGRTMIN + 3, (union sigval){11});
}

static void waited(void)
{
        sigset_t some;
        siginfo_t info;
        struct timespec none = {0, 0}, soon = {0, 20000000}, wrong = {0, -1};
        sigemptyset(&some);
        sigaddset(&some, SIGUSR1);
        sigaddset(&some, SIGRTMIN + 3);
        sigprocmask(SIG_BLOCK, &some, NULL);
        raise(SIGUSR1);
        ASK(sigtimedwait(&some, &info, &none));
        ASK(info.si_code);
        ASK(sigtimedwait(&some, &info, &none));
        ASK(sigtimedwait(&some, &info, &soon));
        ASK(sigtimedwait(&some, &info, &wrong));
        pid_t pid = child(queue_to_parent);
        ASK(sigwaitinfo(&some, &info) - SIGRTMIN);
        ASK(info.si_code);
        ASK(info.si_pid == pid);
        ASK(info.si_value.sival_int);
        status_of(pid);
        int number = 0;
        raise(SIGUSR1);
        ASK(sigwait(&some, &number));
        ASK(number);
        sigprocmask(SIG_UNBLOCK, &some, NULL);
}

void ask_signals(void)
{
        told(SIGUSR1);
        told(SIGRTMIN);
        refused();
        refused_to_a_thread();
        queued();
        waited();
        SHOW(raise(SIGRTMIN));
        count = 0;
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
                SHOW(kill(getppid(), 0));
                sigqueue(getppid(), SIGRTMIN, (union sigval){5});
                _exit(0);
        }
        status_of(pid);
        ASK(count);
        ASK(sender == pid);
        ASK(value);
}
