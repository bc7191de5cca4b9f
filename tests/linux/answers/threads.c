/* threads.c - vfork(), posix_spawn(), and robust mutexes whose owner has ended. */
#include "answers.h"
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/mman.h>

extern char **environ;
static volatile int caught;

static void note_child(int signal)
{
        caught += signal == SIGCHLD;
}

static void store_and_end(void)
{
        volatile int place = 1;
        int status;
        pid_t pid = vfork();
        if (!pid) {
                place = 2;
                _exit(7);
        }
        ASK(place), ASK(waitpid(pid, &status, 0) == pid), ASK(status);
}

/* The parent continues when the child has executed another program. */
static void store_and_become(void)
{
        static char *nobody[] = {NULL, "three", NULL};
        volatile int place = 1;
        nobody[0] = program;
        pid_t pid = vfork();
        if (!pid) {
                place = 2;
                execv("/nowhere/nothing", nobody);
                place += 10 * errno;
                execv(program, nobody);
                _exit(1);
        }
        ASK(place), ASK(status_of(pid));
}

/* A signal to a parent in vfork() waits, too, unless it kills. */
static void signal_parent(void)
{
        catch (SIGUSR1, note_child, 0);
        pid_t parent = getpid();
        pid_t pid = vfork();
        if (!pid) {
                kill(parent, SIGUSR1);
                _exit(5);
        }
        ASK(status_of(pid));
        catch (SIGUSR1, SIG_DFL, 0);
        pid = vfork();
        if (!pid) {
                kill(parent, SIGTERM);
                nap(100);
                _exit(0);
        }
}

static void spawned(void)
{
        char *arguments[] = {program, "three", NULL};
        pid_t pid = 0;
        ASK(posix_spawn(&pid, "/nowhere/nothing", NULL, NULL, arguments, environ));
        ASK(posix_spawn(&pid, "/tmp", NULL, NULL, arguments, environ));
        ASK(posix_spawn(&pid, program, NULL, NULL, arguments, environ)), ASK(status_of(pid));
}

#define WAITERS (int)0x80000000
#define OWNER_DIED 0x40000000

struct link {
        struct link *next;
};

/* In memory shared by parent and child; `head` in the kernel's layout (musl has no
 * linux/futex.h). */
static struct robust {
        struct {
                struct link list;
                long futex_offset;
                struct link *pending;
        } head;
        struct link first, second;
        pthread_mutex_t mutex;
        int words[5]; /* words of first, second, and the pending entry */
} * robust;

static void end_as_owner(void)
{
        int offset = (int)((char *)&robust->words[0] - (char *)&robust->first);
        int place = (int)((char *)&robust->second - (char *)&robust->first) / (int)sizeof(int);
        robust->head.list.next = &robust->first;
        robust->first.next = &robust->second;
        robust->second.next = &robust->first; /* circular: the kernel must still stop */
        robust->head.futex_offset = offset;
        void *head = NULL;
        size_t size = 0;
        robust->words[0] = (int)syscall(SYS_gettid) | WAITERS;
        robust->words[place] = (int)syscall(SYS_gettid) + 1; /* another's */
        ASK(syscall(SYS_set_robust_list, &robust->head, sizeof robust->head - 1));
        ASK(syscall(SYS_set_robust_list, &robust->head, sizeof robust->head));
        ASK(syscall(SYS_get_robust_list, 0, &head, &size));
        ASK(head == &robust->head && size == sizeof robust->head);
        ASK(syscall(SYS_get_robust_list, 0, &head, 8));
        ASK(syscall(SYS_get_robust_list, 0, 8, &size));
        fflush(stdout);
        if (robust->words[4])
                execl(program, program, "three", NULL);
}

static void end_with_mutex(void)
{
        pthread_mutex_lock(&robust->mutex);
}

static void owner_ends(bool by_execve)
{
        int place = (int)((char *)&robust->second - (char *)&robust->first) / (int)sizeof(int);
        memset(robust, 0, sizeof *robust);
        robust->words[4] = by_execve;
        ASK(status_of(child(end_as_owner))), ASK(robust->words[0] == (WAITERS | OWNER_DIED));
        ASK(robust->words[place] & (WAITERS | OWNER_DIED));
}

static void robust_mutexes(void)
{
        pthread_mutexattr_t about;
        robust = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        owner_ends(false);
        owner_ends(true);
        pthread_mutexattr_init(&about);
        ASK(pthread_mutexattr_setrobust(&about, PTHREAD_MUTEX_ROBUST));
        ASK(pthread_mutexattr_setpshared(&about, PTHREAD_PROCESS_SHARED));
        ASK(pthread_mutex_init(&robust->mutex, &about)), ASK(status_of(child(end_with_mutex)));
        ASK(pthread_mutex_lock(&robust->mutex)), ASK(pthread_mutex_consistent(&robust->mutex));
        ASK(pthread_mutex_unlock(&robust->mutex)), ASK(pthread_mutex_lock(&robust->mutex));
}

void ask_threads(void)
{
        store_and_end();
        store_and_become();
        ASK(status_of(child(signal_parent)));
        spawned();
        robust_mutexes();
}
