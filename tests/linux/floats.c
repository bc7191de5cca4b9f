/* floats.c - fork() copies the x87's state to both sides. */
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONTROL 0x27f /* 53 bits, all exceptions masked */

/* Whether pi and the control word are intact; removes them. */
static int is_whole(void)
{
        unsigned short control;
        double pi;
        __asm__ volatile("fnstcw %0; fstpl %1; fninit" : "=m"(control), "=m"(pi));
        return control == CONTROL && pi > 3.14 && pi < 3.15;
}

int main(void)
{
        static const unsigned short control = CONTROL;
        int status;
        long child;
        __asm__ volatile("fninit; fldcw %0; fldpi" : : "m"(control));
        child = syscall(SYS_fork);
        if (!child)
                _exit(is_whole() ? 7 : 8);
        printf("parent: %s\n", is_whole() ? "whole" : "WRONG");
        if (waitpid((pid_t)child, &status, 0) < 0 || status != 7 << 8)
                printf("child: WRONG, %x\n", (unsigned)status);
        return 0;
}
