/* exceptions.c - what an exception costs, there and back, through every kind of gate. */
#include "measure.h"

int main(int argc, char **argv)
{
        (void)argc;
        static const struct order orders[] = {{"move", "plain", false}, {"task", "plain", false}};
        return measure(argv, "exceptions", orders);
}
