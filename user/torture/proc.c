/* proc.c - /proc at random, while processes, threads, areas and descriptors come and go. */
#include "grammar.h"
#include "linux.h"
#include "steps.h"

static const struct language language;

static long child(struct random *random)
{
        return grammar_fork(random, &language);
}

static const struct form forms[] = {
        FORM(open, "pw"),
        FORM(open, "pw"),
        FORM(open, "pw"),
        FORM(read, "fbz"),
        FORM(read, "fbz"),
        FORM(read, "fbz"),
        FORM(readv, "fvn"),
        FORM(pread64, "fbzz"),
        FORM(lseek, "fze"),
        FORM(getdents64, "fbz"),
        FORM(getdents64, "fbz"),
        FORM(readlink, "pbz"),
        FORM(readlink, "pbz"),
        FORM(write, "fbz"),
        FORM(openat, "fpw"),
        FORM(readlinkat, "fpbz"),
        {"stat", LIBC_stat, "pb", NULL},
        {"lstat", LIBC_lstat, "pb", NULL},
        {"fstat", LIBC_fstat, "fb", NULL},
        FORM(access, "pn"),
        FORM(statfs, "pb"),
        FORM(chdir, "p"),
        FORM(fchdir, "f"),
        FORM(getcwd, "bz"),
        FORM(sendfile, "ff0z"),
        FORM(mkdir, "pz"),
        FORM(unlink, "p"),
        FORM(rename, "pp"),
        FORM(symlink, "pp"),
        {"mmap", LIBC_mmap, "0zewf0", NULL},
        FORM(mprotect, "xzn"),
        FORM(brk, "x"),
        FORM(pipe, "b"),
        FORM(close, "f"),
        FORM(close, "f"),
        FORM(dup2, "ff"),
        FORM(poll, "one"),
        DEED(child),
        DEED(child),
        DEED(grammar_kill),
        DEED(grammar_reap),
};

static const char *const paths[] = {
        "/proc",
        "/proc/self",
        "/proc/self/maps",
        "/proc/self/stat",
        "/proc/self/status",
        "/proc/self/cmdline",
        "/proc/self/environ",
        "/proc/self/fd",
        "/proc/self/fd/%u",
        "/proc/self/fd/%u/.",
        "/proc/self/exe",
        "/proc/self/cwd",
        "/proc/self/root",
        "/proc/self/task",
        "/proc/self/task/%u/stat",
        "/proc/self/mounts",
        "/proc/self/cwd/../self/fd",
        "/proc/%u",
        "/proc/%u/maps",
        "/proc/%u/stat",
        "/proc/%u/statm",
        "/proc/%u/status",
        "/proc/%u/cmdline",
        "/proc/%u/environ",
        "/proc/%u/fd",
        "/proc/%u/fd/%u",
        "/proc/%u/exe",
        "/proc/%u/cwd",
        "/proc/stat",
        "/proc/meminfo",
        "/proc/cpuinfo",
        "/proc/interrupts",
        "/proc/mounts",
        "/proc/loadavg",
        "/proc/uptime",
        "/proc/sys",
        "/proc/sys/kernel",
        "/proc/sys/kernel/hostname",
        "here",
        "there",
};

static const uintptr_t words[] = {
        O_RDONLY,   O_RDONLY,    O_RDWR,     O_RDONLY | O_DIRECTORY, O_CLOEXEC, O_RDWR | O_CREAT,
        O_NOFOLLOW, MAP_PRIVATE, MAP_SHARED,
};

static const struct language language = LANGUAGE(forms, paths, words);

static unsigned act(struct random *random)
{
        return grammar_act(random, &language);
}

/* By /proc/1/cwd it may have made names elsewhere. */
static void end(void)
{
        grammar_end();
        steps_end("here");
        steps_end("there");
}

GRAMMAR_KIND(proc, grammar_init, end);
