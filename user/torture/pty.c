/* pty.c - pseudo-terminals at random: both sides, what is typed, who is in front, who hangs up. */
#include "grammar.h"
#include "linux.h"

static const struct language language;

static long child(struct random *random)
{
        return grammar_fork(random, &language);
}

/* The locks of the first masters are taken off, so that their slaves can be opened. */
static long unlock(struct random *random)
{
        int no = 0;
        return ioctl(3 + (int)random_below(random, 16), TIOCSPTLCK, &no);
}

static const struct form forms[] = {
        FORM(open, "pw"),
        FORM(open, "pw"),
        FORM(open, "pw"),
        DEED(unlock),
        DEED(unlock),
        FORM(write, "fbz"),
        FORM(write, "fbz"),
        FORM(write, "fbz"),
        FORM(read, "fbz"),
        FORM(read, "fbz"),
        FORM(readv, "fvn"),
        FORM(writev, "fvn"),
        FORM(ioctl, "fwb"),
        FORM(ioctl, "fwb"),
        FORM(ioctl, "fwb"),
        FORM(ioctl, "fw1"),
        FORM(ioctl, "fwx"),
        FORM(poll, "one"),
        FORM(close, "f"),
        FORM(close, "f"),
        FORM(dup, "f"),
        FORM(dup2, "ff"),
        FORM(fcntl, "fwf"),
        FORM(setsid, ""),
        FORM(setpgid, "ii"),
        FORM(kill, "0g"),
        {"fstat", LIBC_fstat, "fb", NULL},
        FORM(sendfile, "ff0z"),
        FORM(getdents64, "fbz"),
        FORM(lseek, "fze"),
        DEED(child),
        DEED(child),
        DEED(grammar_kill),
        DEED(grammar_reap),
};

static const char *const paths[] = {"/dev/ptmx",  "/dev/ptmx",  "/dev/ptmx",  "/dev/pts/0",
                                    "/dev/pts/1", "/dev/pts/2", "/dev/pts/3", "/dev/pts/%u",
                                    "/dev/tty",   "/dev/pts"};

static const uintptr_t words[] = {
        O_RDWR,
        O_RDWR | O_NONBLOCK,
        O_RDWR | O_NONBLOCK | O_NOCTTY,
        O_RDONLY | O_CLOEXEC,
        O_NONBLOCK,
        F_DUPFD,
        F_SETFL,
        TCGETS,
        TCSETS,
        TCSETSW,
        TCSETSF,
        TIOCSCTTY,
        TIOCGPGRP,
        TIOCSPGRP,
        TIOCGWINSZ,
        TIOCSWINSZ,
        TIOCNOTTY,
        TIOCGSID,
        TIOCGPTN,
        TIOCSPTLCK,
        TIOCGPTLCK,
        0x540b, /* TCFLSH */
        0x5412, /* TIOCSTI */
        0x541b, /* FIONREAD */
};

static const struct language language = LANGUAGE(forms, paths, words);

static unsigned act(struct random *random)
{
        return grammar_act(random, &language);
}

GRAMMAR_KIND(pty, grammar_init, grammar_end);
