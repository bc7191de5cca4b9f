/* toll.c - the cost of a system call, by every way into ring 0. */
#include "measure.h"

int main(int argc, char **argv)
{
        (void)argc;
        static const struct order orders[] = {{"standard", "bare", false},
                                              {"standard", "nowork", true}};
        return measure(argv, "toll", orders);
}
