/* exceptions.c - what an exception costs, there and back, through every kind of gate. */
#include "measure.h"

int main(int argc, char **argv)
{
        (void)argc;
        return measure(argv, "exceptions",
                       true); /* a plain gate to a move off the IST, or a task */
}
