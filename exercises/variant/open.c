/* open.c - the row can be called while interrupts are on. */
#include "lib.h"
#include "linux.h"
#include "toll.h"

int main(int argc, char **argv)
{
        const void *half = row_choose("/int/cleared");
        check(!half == !!strncmp(argv[0], "/bin/", 5), program_origin(argv[0]), "%p", half);
        check(!half || gate_call(half, NUMBER_getpid) == getpid(), "answer", "the pid");
        return check_status();
}
