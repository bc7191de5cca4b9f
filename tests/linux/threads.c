/* threads.c - sharing between threads, and their ends: conditions, timeouts, words on which two
 * processes wait, the end of the first thread, execve(), signals that nobody accepts yet. Each case
 * is a process; its status must be as on Linux. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUTEX_WAIT 0 /* linux/futex.h */
#define FUTEX_WAKE 1
#define FUTEX_CMP_REQUEUE 4

static char *program;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int opened, passed;

static void pause_ms(long milliseconds)
{
        struct timespec time = {0, milliseconds * 1000000};
        nanosleep(&time, NULL);
}

static void *slowly(void *argument)
{
        pause_ms(30);
        return argument;
}

static int join(void)
{
        pthread_t thread;
        void *result = NULL;
        pthread_create(&thread, NULL, slowly, &passed);
        pthread_join(thread, &result);
        return result == &passed;
}

static __thread int mine = 7;
static void *add_mine(void *argument)
{
        pthread_mutex_lock(&lock);
        passed += mine++;
        pthread_mutex_unlock(&lock);
        return argument;
}

static int own_words(void)
{
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
                pthread_create(&threads[i], NULL, add_mine, NULL);
        for (int i = 0; i < 4; i++)
                pthread_join(threads[i], NULL);
        return passed == 4 * 7 && mine == 7;
}

static void *wait_open(void *argument)
{
        pthread_mutex_lock(&lock);
        while (!opened)
                pthread_cond_wait(&condition, &lock);
        passed++;
        pthread_mutex_unlock(&lock);
        return argument;
}

static int broadcast(void)
{
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
                pthread_create(&threads[i], NULL, wait_open, NULL);
        pause_ms(30);
        pthread_mutex_lock(&lock);
        opened = 1;
        pthread_cond_broadcast(&condition);
        pthread_mutex_unlock(&lock);
        for (int i = 0; i < 4; i++)
                pthread_join(threads[i], NULL);
        return passed == 4;
}

static int timed(void)
{
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_nsec += 20000000;
        end.tv_sec += end.tv_nsec / 1000000000;
        end.tv_nsec %= 1000000000;
        pthread_mutex_lock(&lock);
        return pthread_cond_timedwait(&condition, &lock, &end) == ETIMEDOUT;
}

static void *shared_page(void)
{
        return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static int between_processes(void)
{
        sem_t *semaphore = shared_page();
        sem_init(semaphore, 1, 0);
        if (!fork()) {
                pause_ms(30);
                sem_post(semaphore);
                _exit(0);
        }
        return sem_wait(semaphore) == 0;
}

static int *word;
static void *wait_word(void *argument)
{
        syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
        __atomic_add_fetch(&passed, 1, __ATOMIC_SEQ_CST);
        return argument;
}

static int requeue(void)
{
        static int words[2];
        pthread_t threads[3];
        word = words;
        for (int i = 0; i < 3; i++)
                pthread_create(&threads[i], NULL, wait_word, NULL);
        long waiting = 0;
        for (; waiting < 3; pause_ms(1)) /* until each waits, at the second word */
                waiting += syscall(SYS_futex, words, FUTEX_CMP_REQUEUE, 0, 5L, words + 1, 0);
        int early = __atomic_load_n(&passed, __ATOMIC_SEQ_CST);
        long both = syscall(SYS_futex, words + 1, FUTEX_CMP_REQUEUE, 1, 5L, words, 0);
        long rest = syscall(SYS_futex, words + 1, FUTEX_WAKE, 9, NULL, NULL, 0);
        while (!__atomic_load_n(&passed, __ATOMIC_SEQ_CST))
                pause_ms(1);
        pause_ms(30);
        int first = passed;
        long moved = syscall(SYS_futex, words, FUTEX_WAKE, 0, NULL, NULL, 0); /* wakes one */
        moved += syscall(SYS_futex, words, FUTEX_WAKE, -1, NULL, NULL, 0);
        for (int i = 0; i < 3; i++)
                pthread_join(threads[i], NULL);
        return waiting == 3 && !early && both == 3 && rest == 0 && first == 1 && moved == 2 &&
               passed == 3;
}

static void *end_all(void *argument)
{
        pause_ms(30);
        _exit(1);
        return argument;
}

static int without_the_first(void)
{
        pthread_t thread;
        pthread_create(&thread, NULL, end_all, NULL);
        pthread_exit(NULL);
}

static void *become(void *argument)
{
        char *arguments[] = {program, "child", NULL};
        execv(program, arguments);
        return argument;
}

static void *count(void *argument)
{
        for (;;)
                ++*(volatile int *)argument;
        return NULL;
}

static int execve_from_a_thread(void)
{
        pthread_t thread;
        pthread_create(&thread, NULL, count, &passed);
        pthread_create(&thread, NULL, become, NULL);
        pthread_join(thread, NULL);
        return 2;
}

static int files_at_execve(void)
{
        int ends[2], status;
        if (pipe2(ends, O_CLOEXEC))
                return 2;
        long child = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0L, 0L, 0L, 0L);
        if (!child) {
                become(NULL);
                _exit(0);
        }
        waitpid((pid_t)child, &status, 0);
        return status == 1 << 8 && write(ends[1], "x", 1) == 1;
}

static void handle(int number)
{
        _exit(number == SIGUSR1);
}

static void *open_late(void *argument)
{
        sigset_t none;
        pause_ms(60);
        sigemptyset(&none);
        pthread_sigmask(SIG_SETMASK, &none, NULL);
        return argument;
}

static int nobody_wants_it_yet(void)
{
        sigset_t all;
        pthread_t thread;
        signal(SIGUSR1, handle);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
        pthread_create(&thread, NULL, open_late, NULL);
        kill(getpid(), SIGUSR1);
        pthread_join(thread, NULL);
        return 2;
}

static sigset_t one;
static void *take_late(void *argument)
{
        const struct timespec second = {1, 0};
        pause_ms(30);
        _exit(sigtimedwait(&one, NULL, &second) == SIGUSR1);
        return argument;
}

static int left_by_the_first(void)
{
        pthread_t thread;
        sigaddset(&one, SIGUSR1);
        pthread_sigmask(SIG_SETMASK, &one, NULL);
        pthread_create(&thread, NULL, take_late, NULL);
        kill(getpid(), SIGUSR1);
        pthread_exit(NULL);
}

static const int constant = 77;

static int tid_into_a_constant(void)
{
        int status;
#ifdef __x86_64__
        long child = syscall(SYS_clone, CLONE_CHILD_SETTID | SIGCHLD, 0L, 0L, &constant, 0L);
#else
        long child = syscall(SYS_clone, CLONE_CHILD_SETTID | SIGCHLD, 0L, 0L, 0L, &constant);
#endif
        if (!child)
                _exit(*(const volatile int *)&constant == 77);
        waitpid((pid_t)child, &status, 0);
        return status == 1 << 8;
}

static int long_sleep(void)
{
        int status;
        long child = fork();
        if (!child) {
                struct timespec ages = {(time_t)(~0ul >> 2), 0};
                nanosleep(&ages, NULL);
                _exit(0);
        }
        pause_ms(30);
        int ended = waitpid((pid_t)child, &status, WNOHANG) != 0;
        kill((pid_t)child, SIGKILL);
        return !ended;
}

static const struct {
        const char *name;
        int (*run)(void);
} cases[] = {
        {"join", join},
        {"own words", own_words},
        {"broadcast", broadcast},
        {"timed", timed},
        {"between processes", between_processes},
        {"requeue", requeue},
        {"without the first", without_the_first},
        {"execve from a thread", execve_from_a_thread},
        {"files at execve", files_at_execve},
        {"nobody wants it yet", nobody_wants_it_yet},
        {"left by the first", left_by_the_first},
        {"tid into a constant", tid_into_a_constant},
        {"long sleep", long_sleep},
};

int main(int argc, char **argv)
{
        int failures = 0;
        program = argv[0];
        if (argc > 1 && !strcmp(argv[1], "child"))
                return 1;
        for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
                int status = 0;
                printf("%s: ", cases[i].name); /* printed first, in case it does not end */
                fflush(stdout);
                pid_t child = fork();
                if (!child)
                        alarm(1000), _exit(cases[i].run());
                int ok = waitpid(child, &status, 0) == child && status == 1 << 8;
                failures += !ok;
                printf("%s, %x\n", ok ? "ok" : "WRONG", (unsigned)status);
        }
        printf("threads: %d failures\n", failures);
        return failures != 0;
}
