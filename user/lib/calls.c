/* calls.c - the table of system calls, for programs. */
#include "calls.h"
#include "lib.h"

#define SERVICE_CALL CALL
#define FRAME_CALL CALL
#define CALL(name, i386, amd64) {#name, NUMBER_##name},
#define CALL32(name, number) {#name, NUMBER_##name}, /* -1: exists in the other width only */
#define CALL64 CALL32
const struct named_call named_calls[] = {
#include "sys.def"
};
#undef CALL64
#undef CALL32
#undef CALL
#undef FRAME_CALL
#undef SERVICE_CALL
const unsigned named_call_count = sizeof named_calls / sizeof *named_calls;

bool call_is_tame(const struct named_call *call)
{
        static const char *const wild[] = {
                "exit",
                "exit_group",
                "fork",
                "vfork",
                "clone",
                "kill",
                "tkill",
                "tgkill",
                "pause",
                "rt_sigsuspend",
                "sigsuspend",
                "rt_sigreturn",
                "sigreturn",
                "reboot",
                "nanosleep",
                "poll",
                "ppoll",
                "select",
                "pselect6",
                "old_select",
                "_newselect",
                "wait4",
                "waitpid",
                "futex",
                "alarm",
                "setitimer",
                "rt_sigtimedwait",
                "clock_nanosleep",
                "read",
                "readv",
                "setsid",
                "setpgid",
                "toll_quiet",
                "rt_sigprocmask",
                "sigprocmask",
                "vhangup",
                "toll_protect",
                "toll_remember",
                "toll_reentry",
                "toll_hand",
                "toll_timer",
                "toll_clock",
                "toll_fence",
                "toll_key",
                "toll_latency",
        };
        for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++)
                if (!strcmp(call->name, wild[i]))
                        return false;
        return call->number >= 0;
}
