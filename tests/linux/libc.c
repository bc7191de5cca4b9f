/*
 * libc.c - what a static program of a real libc asks of the kernel: start-up, printf, malloc,
 * files, fork, a pipe, signals, threads. It prints what it found and knows nothing of Tollgate.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failures;
static __thread int mine = 7;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static volatile sig_atomic_t seen;

static void check(int ok, const char *name, double detail)
{
        failures += !ok;
        printf("%s: %s, %.2f\n", name, ok ? "ok" : "WRONG", detail);
}

static void memory(void)
{
        char *large = malloc(3 << 20), *small = malloc(100);
        memset(large, 'x', 3 << 20);
        small = realloc(small, 100000);
        check(large[(3 << 20) - 1] == 'x' && small, "malloc", 3 << 20);
        free(large);
        free(small);
        void *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        check(map != MAP_FAILED && !munmap(map, 8192), "mmap", 8192);
}

static void files(void)
{
        char text[32] = "";
        FILE *file = fopen("libc.txt", "w+");
        if (file) {
                fprintf(file, "%d %s", 6 * 7, "words");
                rewind(file);
                if (!fgets(text, sizeof text, file))
                        text[0] = 0;
                fclose(file);
                unlink("libc.txt");
        }
        check(!strcmp(text, "42 words"), "stdio", strlen(text));
}

static void processes(void)
{
        int ends[2], status = -1;
        char word[6] = "";
        fflush(stdout);
        int broken = pipe(ends);
        pid_t pid = fork();
        if (!pid) {
                mine++;
                _exit(write(ends[1], "child", 6) == 6 && mine == 8 ? 3 : 4);
        }
        ssize_t got = read(ends[0], word, 6);
        check(!broken && got == 6 && !strcmp(word, "child"), "pipe", got);
        check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3,
              "fork", status);
        check(mine == 7 && getpid() != pid, "own memory", mine);
}

static void note(int signal)
{
        seen = signal;
}

static void signals(void)
{
        struct sigaction action = {.sa_handler = note};
        sigaction(SIGUSR1, &action, NULL);
        volatile double kept = 1.5;
        raise(SIGUSR1);
        check(seen == SIGUSR1 && kept == 1.5, "signal", kept);
}

static void *add(void *to)
{
        for (int i = 0; i < 1000; i++) {
                pthread_mutex_lock(&lock);
                sum += mine;
                pthread_mutex_unlock(&lock);
        }
        mine += *(int *)to;
        return (void *)(long)mine;
}

static void threads(void)
{
        pthread_t thread[4];
        int number[4], failed = 0;
        for (int i = 0; i < 4; i++) {
                number[i] = i;
                failed |= pthread_create(&thread[i], NULL, add, &number[i]);
        }
        for (int i = 0; i < 4 && !failed; i++) {
                void *result;
                failed |= pthread_join(thread[i], &result) || (long)result != 7 + i;
        }
        check(!failed && mine == 7, "threads", failed);
        check(sum == 4 * 7000, "mutex", (double)sum);
}

static void times(void)
{
        struct timespec before, after, pause = {0, 20000000};
        clock_gettime(CLOCK_MONOTONIC, &before);
        nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &after);
        double passed = (after.tv_sec - before.tv_sec) + (after.tv_nsec - before.tv_nsec) / 1e9;
        check(passed > 0.0199 && passed < 60, "nanosleep", passed);
}

int main(int argc, char **argv)
{
        setvbuf(stdout, NULL, _IOLBF, 0);
        check(argc > 0 && strstr(argv[0], "libc") != NULL, "argv", argc > 0);
        memory();
        files();
        processes();
        signals();
        threads();
        times();
        printf("libc: %d failures\n", failures);
        return failures != 0;
}
