/* spin.c - two processes that only compute: only a tick can take the processor from them, for the
 * lesson on preemption. */
#include "lib.h"
#include "linux.h"

#define ROUNDS 20000000u

void spin(unsigned rounds);

__attribute__((noinline)) void spin(unsigned rounds)
{
        for (unsigned i = 0; i < rounds; i++)
                __asm__ volatile("");
}

int main(void)
{
        long other = fork();
        spin(ROUNDS);
        if (!other)
                exit_group(0);
        wait4(other, NULL, 0, NULL);
        return 0;
}
