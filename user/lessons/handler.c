/* handler.c - sends itself a signal and returns from the handler, for the lesson `signal`. */
#include "signals.h"

volatile int handled;

void on_signal(int signal);

void on_signal(int signal)
{
        handled = signal;
}

int main(void)
{
        signal_act(SIGUSR1, (const void *)on_signal, SA_SIGINFO, 0);
        signal_self(SIGUSR1);
        return handled != SIGUSR1;
}
