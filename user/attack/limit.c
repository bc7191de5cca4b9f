/* limit.c - a read into the kernel's memory: refused, unless /trusted/limit has lifted the address
 * limit. at=ADDRESS (decimal) is the target; four bytes, "HOLE". */
#include "attack.h"

static void read_into_kernel(uintptr_t argument)
{
        int ends[2];
        if (call(NUMBER_pipe, ends) || call(NUMBER_write, ends[1], "HOLE", 4) != 4)
                not_here();
        long result = call(NUMBER_read, ends[0], address_given(), 4);
        if (result != -EFAULT)
                wrong("read() wrote %ld bytes of the kernel's memory", result);
}

static unsigned count(void)
{
        return 1;
}

static void at(unsigned i, struct attack *attack, char name[ATTACK_NAME])
{
        *attack = (struct attack){"limit/read", LIVES, read_into_kernel, 0};
}

const struct row limit_row = {.name = "limit", .at = at, .whole = count};
