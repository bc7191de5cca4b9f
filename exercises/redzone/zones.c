/* zones.c - checks that no gate writes into the red zone of a program in ring 0. */
#include "const.h"
#include "lib.h"
#include "registers.h"
#include "toll.h"

int main(void)
{
        output_through(toll_call);
        for (unsigned vector = 0x34; vector < 0x7f && at_cpl_0(); vector++) {
                if (vector == VECTOR_SELF || vector == VECTOR_TIMER)
                        continue;
                long changed = red_zone_int(vector);
                check(!changed, "zone", "INT %x: %ld bytes changed", vector, changed);
        }
        return check_status();
}
