/* kill.c - sends a signal, SIGTERM if none is named, to processes, or to process groups (-PID). */
#include "console.h"

int main(int argc, char **argv)
{
        (void)argc;
        return send_signals(argv);
}
