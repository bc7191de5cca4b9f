/* kill.c - sends a signal, SIGTERM if none is named, to processes, or to process groups (-PID). */
#include "console.h"

int main(int argc, char **argv)
{
        return send_signals(argv);
}
