/* beside.c - runs programs of other origins in parallel. */
#include "beside.h"
#include "child.h"
#include "linux.h"
#include "toll.h"

static const char *const folders[] = {"/bin", "/compat", "/trusted"};
#define FOLDERS (sizeof folders / sizeof *folders)

static long others[FOLDERS];
static unsigned count;

/* Every program may use the standard row of each mechanism, which makes any call. Exception: on
 * i386 SYSCALL must be selected first. */
static bool is_open(const struct toll_row *row)
{
        bool legacy = sizeof(long) == 4 && strncmp(row->id, "compat/", 7) &&
                      !strcmp(strchr(row->id, '/'), "/syscall/standard");
        return !strcmp(row->suite, "toll") && !row->missing[0] && !row->quiet &&
               row->answers == TOLL_ANSWERS_calls && row->looks && !legacy;
}

static _Noreturn void call_for_ever(void)
{
        struct toll_row row;
        for (long index = 0, pid = getpid();; index++) {
                if (toll_call(NUMBER_toll_row, index, &row))
                        index = -1;
                else if (is_open(&row) &&
                         gate_call((const void *)(uintptr_t)row.clean, NUMBER_getpid) != pid)
                        exit_group(1);
        }
}

static void start(const char *folder, const char *name)
{
        char path[64];
        char *argv[] = {path, "beside=me", NULL};
        int fd;
        snprintf(path, sizeof path, "%s%s", folder, name);
        if ((fd = (int)open(path, O_RDONLY, 0)) < 0)
                return; /* this kernel has no such origin */
        close(fd);
        long child = fork();
        if (!child) {
                execve(path, argv, (char *[]){NULL});
                exit_group(2);
        }
        others[count++] = child;
}

void beside_begin(char **argv)
{
        const char *said = option(argv, "beside"), *name = argv[0];
        if (!said || !*said)
                return;
        if (!strcmp(said, "me"))
                call_for_ever();
        for (const char *c = argv[0]; *c; c++)
                if (*c == '/')
                        name = c;
        for (size_t i = 0; i < FOLDERS; i++)
                if (strncmp(argv[0], folders[i], strlen(folders[i])))
                        start(folders[i], name);
        toll_call(NUMBER_toll_timer, BESIDE_HZ);
}

void beside_end(void)
{
        unsigned lived = 0;
        for (unsigned i = 0; i < count; i++) {
                int status = 0;
                kill(others[i], SIGKILL);
                wait4(others[i], &status, 0, NULL);
                lived += CHILD_SIGNAL(status) == SIGKILL;
        }
        if (count)
                check(lived == count, "beside", "%u of %u programs of other origins lived", lived,
                      count);
}
