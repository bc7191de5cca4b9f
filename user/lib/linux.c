/* linux.c - names of errors and signals (Linux's numbers on x86). */
#include "linux.h"

static const char *const errors[] = {[EPERM] = "operation not permitted",
                                     [ENOENT] = "no such file or directory",
                                     [ESRCH] = "no such process",
                                     [EINTR] = "interrupted",
                                     [EIO] = "input/output error",
                                     [6] = "no such device or address",
                                     [E2BIG] = "argument list too long",
                                     [ENOEXEC] = "not an executable of this machine",
                                     [EBADF] = "bad file descriptor",
                                     [ECHILD] = "no child processes",
                                     [EAGAIN] = "try again",
                                     [ENOMEM] = "out of memory",
                                     [EACCES] = "permission denied",
                                     [EFAULT] = "bad address",
                                     [EBUSY] = "device or resource busy",
                                     [EEXIST] = "file exists",
                                     [EXDEV] = "on another file system",
                                     [ENODEV] = "no such device",
                                     [ENOTDIR] = "not a directory",
                                     [EISDIR] = "is a directory",
                                     [EINVAL] = "invalid argument",
                                     [23] = "too many open files in the system",
                                     [EMFILE] = "too many open files",
                                     [ENOTTY] = "not a terminal",
                                     [26] = "the program is running",
                                     [EFBIG] = "file too large",
                                     [ENOSPC] = "no space left",
                                     [ESPIPE] = "not seekable",
                                     [30] = "read-only file system",
                                     [31] = "too many links",
                                     [EPIPE] = "nobody reads the pipe",
                                     [ERANGE] = "result out of range",
                                     [ENAMETOOLONG] = "name too long",
                                     [ENOSYS] = "no such system call",
                                     [ENOTEMPTY] = "directory not empty",
                                     [ELOOP] = "too many symbolic links",
                                     [ENOTSOCK] = "not a socket",
                                     [EADDRINUSE] = "address in use",
                                     [ECONNRESET] = "the other side has closed",
                                     [ENOTCONN] = "not connected",
                                     [ECONNREFUSED] = "nobody listens there"};

static const char *const signals[] = {
        [1] = "SIGHUP", "SIGINT",    "SIGQUIT", "SIGILL",  "SIGTRAP",   "SIGABRT", "SIGBUS",
        "SIGFPE",       "SIGKILL",   "SIGUSR1", "SIGSEGV", "SIGUSR2",   "SIGPIPE", "SIGALRM",
        "SIGTERM",      "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP",   "SIGTSTP", "SIGTTIN",
        "SIGTTOU",      "SIGURG",    "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH",
        "SIGIO",        "SIGPWR",    "SIGSYS"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const char *error_text(long error)
{
        static char other[24];
        unsigned long number = error < 0 ? -(unsigned long)error : (unsigned long)error;
        if (number < COUNT(errors) && errors[number])
                return errors[number];
        snprintf(other, sizeof other, "error %lu", number);
        return other;
}

const char *signal_name(int signal)
{
        static char other[24];
        if (signal > 0 && (size_t)signal < COUNT(signals))
                return signals[signal];
        snprintf(other, sizeof other, "signal %d", signal);
        return other;
}

int signal_number(const char *name)
{
        int number = 0;
        for (size_t i = 1; i < COUNT(signals); i++)
                if (!strcmp(name, signals[i]) || !strcmp(name, signals[i] + 3))
                        return (int)i;
        do {
                if (*name < '0' || *name > '9')
                        return -1;
                number = number * 10 + (*name - '0');
        } while (*++name && number <= 64);
        return number <= 64 ? number : -1;
}

long signal_set(int signal, uintptr_t handler)
{
        const struct sigaction action = {handler, SA_RESTORER | SA_SIGINFO,
                                         (uintptr_t)signal_return, 0};
        return rt_sigaction(signal, &action, NULL, sizeof action.mask);
}

void signals_as_at_login(void)
{
        static const int usual[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD};
        const uint64_t none = 0;
        for (size_t i = 0; i < COUNT(usual); i++)
                signal_set(usual[i], SIG_DFL);
        rt_sigprocmask(SIG_SETMASK, &none, NULL, sizeof none);
}
