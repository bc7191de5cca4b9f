/* asks.c - checks toll_whoami (number WHOAMI): it returns a path, a stamp (STAMP), their length,
 * and an error for each bad argument. */
#include "linux.h"

#define MARK 0x5a
#define PAGE 4096
#define SYSTEM_CALLS (WIDE ? "/syscall/" : "/int/")
#define LONG 4096 /* PATH_MAX */

static char name[LONG + 32];
static const char *program;

/* A check result of this program: /bin/asks, /compat/asks or /trusted/asks. */
static void tell(bool ok, const char *kind, const char *what, long result)
{
        char whole[80];
        snprintf(whole, sizeof whole, "%s %s", program, kind);
        check(ok, whole, "%s: %ld", what, result);
}

static bool all(char value, const char *at, size_t size)
{
        for (size_t i = 0; i < size; i++)
                if (at[i] != value)
                        return false;
        return true;
}

/* Whether it has the path, its terminating 0 and the stamp. */
static bool told(const char *at)
{
        uint32_t stamp = STAMP;
        size_t length = strlen(program) + 1;
        return !memcmp(at, program, length) && !memcmp(at + length, &stamp, sizeof stamp);
}

static long ask(void *to, size_t size)
{
        return toll_call(WHOAMI, to, size);
}

/* Whether often asking loses no memory. */
static bool keeps_all(void)
{
        uint32_t before = counts_now().frames;
        for (unsigned i = 0; i < 8000; i++)
                ask(name, i % 4 ? i % 8 : sizeof name);
        return counts_now().frames + 8 > before;
}

/* A program with a long path, whose process has asked before, with another. */
static void try_far(void)
{
        static char far[LONG];
        int status = 0;
        long child;
        memset(far, '/', sizeof far - 1);
        memcpy(far + sizeof far - 1 - strlen(program), program, strlen(program));
        if (!(child = fork())) {
                ask(name, sizeof name);
                exit_group((int)execve(far, (char *[]){far, NULL}, NULL));
        }
        wait4((int)child, &status, 0, NULL);
        tell(!status, "result", "a long path", status);
}

/* Asks, and goes on as a program with a longer path, once for each letter. */
static int chain(char *letters)
{
        static char longer[LONG];
        size_t whole = strlen(program) + 1 + sizeof(uint32_t);
        if (ask(name, sizeof name) != (long)whole || !told(name) || !*letters)
                return *letters != 0;
        snprintf(longer, sizeof longer, "/%s", program);
        return (int)execve(longer, (char *[]){"other", letters + 1, longer, NULL}, NULL);
}

static void try_chain(void)
{
        char letters[] = "aaaaaaaa";
        int status = 0;
        long child = fork();
        if (!child)
                exit_group(chain(letters));
        wait4((int)child, &status, 0, NULL);
        tell(!status, "result", "one program after the other", status);
}

static void try_room(size_t size, size_t whole)
{
        memset(name, MARK, sizeof name);
        long result = ask(name, size);
        bool held = result == (long)whole && told(name);
        tell(held && all(MARK, name + whole, sizeof name - whole), "size", "room", result);
}

/* By each row that programs may choose for system_call(). */
static void try_rows(size_t whole)
{
        struct toll_row row;
        long parent = system_call(NUMBER_getppid);
        for (int i = 0; !toll_call(NUMBER_toll_row, i, &row); i++) {
                if (row.missing[0] || !strstr(row.id, SYSTEM_CALLS))
                        continue;
                toll_call(NUMBER_toll_select, i, FLAVOUR_clean);
                memset(name, MARK, sizeof name);
                bool calls = system_call(NUMBER_getppid) == parent;
                long result = calls ? system_call(WHOAMI, name, sizeof name) : 0;
                toll_call(NUMBER_toll_select, TOLL_DEFAULT);
                if (calls)
                        tell(result == (long)whole && told(name), "result", row.id, result);
        }
}

static volatile long of_thread;

static void ask_too(void)
{
        of_thread = ask(name, sizeof name);
        sleep_for_ever();
}

/* A second thread of a program asks, and then the first one. */
static void try_thread(size_t whole)
{
        static uint8_t stack[8192] __attribute__((aligned(16)));
        int status = 0, tid;
        long child = fork();
        if (!child) {
                thread_start(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD,
                             stack + sizeof stack, &tid, ask_too);
                while (!of_thread)
                        toll_call(NUMBER_sched_yield);
                exit_group(of_thread != (long)whole || !told(name) ||
                           ask(name, sizeof name) != (long)whole);
        }
        wait4((int)child, &status, 0, NULL);
        tell(!status, "result", "two threads of a program", status);
}

int main(int argc, char **argv)
{
        program = argv[0];
        if (argc > 1 && (!*argv[1] || *argv[1] == 'a'))
                return program = argc > 2 ? argv[2] : program, chain(argv[1]);
        size_t whole = strlen(program) + 1 + sizeof(uint32_t);
        int status = 0;
        long child;
        long group = toll_call(NUMBER_getpgid, 0);
        if (strlen(program) == LONG - 1)
                return ask(name, sizeof name) != (long)whole || !told(name) || !keeps_all();
        try_far();
        try_chain();
        try_thread(whole);
        while ((child = fork()) > 0 && child < 1000 + (long)RANDOM % 1000)
                wait4((int)child, NULL, 0, NULL);
        if (!child) {
                bool same = toll_call(NUMBER_getpgid, 0) == group;
                const uint64_t none[2] = {0, 0};
                toll_call(NUMBER_setpriority, 0, 0, 3);
                toll_call(NUMBER_prlimit64, 0, 4, none, NULL);
                toll_call(NUMBER_setsid);
                exit_group(ask(name, sizeof name) != (long)whole || !told(name) || !same);
        }
        wait4((int)child, &status, 0, NULL);
        tell(!status, "result", "a process with a high number", status);
        for (size_t at = 0; at < 16; at++) {
                long length = ask(name + at, whole);
                tell(length == (long)whole && told(name + at), "result", "any address", length);
        }
        memset(name, MARK, sizeof name);
        long result = ask(name, sizeof name);
        tell(result == (long)whole, "result", "its length", result);
        tell(told(name), "result", "the path and the stamp", result);
        tell(all(MARK, name + whole, sizeof name - whole), "result", "and no byte more", result);
        memset(name, MARK, sizeof name);
        result = ask(name, whole);
        tell(result == (long)whole, "size", "just enough", result);
        memset(name, MARK, sizeof name);
        for (size_t size = 0; size < whole; size++) {
                result = ask(name, size);
                tell(result == -ERANGE && all(MARK, name, sizeof name), "size", "too little",
                     result);
        }
        try_room((size_t)-1, whole);
        for (int bit = 12; bit < (WIDE ? 64 : 32); bit++)
                try_room((size_t)(1ull << bit | RANDOM % 4096), whole);
        try_room((size_t)((uint64_t)RANDOM << (WIDE ? 32 : 8)), whole);
        try_rows(whole);
        char *page = (char *)mmap(0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
        munmap((uintptr_t)page + PAGE, PAGE);
        page[0] = 0; /* from here on parent and child share a frame */
        if (!(child = fork()))
                exit_group(ask(page + PAGE - whole, whole) == (long)whole ? 0 : 1);
        wait4((int)child, &status, 0, NULL);
        tell(!status && all(0, page, PAGE), "pointer", "a child's page is the child's", status);
        result = ask(page + PAGE - whole, whole);
        tell(result == (long)whole && told(page + PAGE - whole), "pointer", "to the end of a page",
             result);
        const struct {
                const char *what;
                void *to;
        } bad[] = {
                {"to page 0", NULL},
                {"to the kernel's half", (void *)((uintptr_t)-1 << (WIDE ? 47 : 30))},
                {"to the kernel's text", (void *)((uintptr_t)-1 << 31)},
                {"into the kernel", (void *)(((uintptr_t)-1 << (WIDE ? 31 : 30)) + RANDOM)},
        };
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
                result = ask(bad[i].to, whole);
                tell(result == -EFAULT, "pointer", bad[i].what, result);
                result = ask(bad[i].to, whole - 1);
                tell(result == -ERANGE, "size", bad[i].what, result);
        }
        for (size_t room = 0; room < whole; room++) {
                result = ask(page + PAGE - room, whole);
                tell(result == -EFAULT, "pointer", "across the end of a page", result);
        }
        uint32_t before = counts_now().frames;
        for (unsigned i = 0; i < 8 * PAGE; i++)
                ask(page + i % 2 * PAGE, whole - i % 4 / 2);
        tell(counts_now().frames + 8 > before, "pointer", "frames that many calls have lost",
             before - counts_now().frames);
        mprotect((uintptr_t)page, PAGE, PROT_READ);
        result = ask(page, whole);
        tell(result == -EFAULT, "pointer", "to what may only be read", result);
        tell(true, "pointer", "the end", 0);
        return check_status();
}
