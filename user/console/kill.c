/* kill.c - sends a signal, SIGTERM if none is named, to processes, or to process groups (-PID). */
#include "console.h"

int main(int argc, char **argv)
{
        int signal = SIGTERM, first = 1, status = 0;
        if (argc > 2 && argv[1][0] == '-') {
                signal = signal_number(argv[1] + 1);
                if (signal < 0)
                        return complain("kill", argv[1], -EINVAL);
                first = 2;
        }
        if (first == argc)
                return usage("kill [-SIGNAL] PID...");
        for (int i = first; i < argc; i++) {
                bool group = argv[i][0] == '-';
                long pid = decimal(argv[i] + group);
                long error = pid < 0 ? -EINVAL : kill(group ? -pid : pid, signal);
                if (error < 0)
                        status = complain("kill", argv[i], error);
        }
        return status;
}
