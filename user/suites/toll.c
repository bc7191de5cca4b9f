/* toll.c - what a system call costs, by every way into ring 0. */
#include "measure.h"

int main(int argc, char **argv)
{
        (void)argc;
        return measure(argv, "toll", false); /* standard to bare */
}
