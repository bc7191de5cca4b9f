/* protection.c - the effect of the protections: the same events without them. */
#include "starve.h"
#include "result.h"

#define ROUNDS 1000000
#define FROM_CPL_3 5 /* rip cs rflags rsp ss: the inner exception is from CPL 0 */
#define FROM_CPL_0 2 /* rip and rsp */

static long changed_by_interrupts(long level)
{
        toll_call(NUMBER_toll_protect, level);
        timer(TIMER_FAST);
        long changed = red_zone(2, ROUNDS);
        timer(TIMER_USUAL);
        toll_call(NUMBER_toll_protect, 2);
        return changed;
}

void try_red_zone(void)
{
        if (!WIDE || !trusted)
                return;
        long plain = changed_by_interrupts(0), ist = changed_by_interrupts(2);
        print("red zone: %ld of 128 bytes changed through plain gates, %ld with IST\n", plain, ist);
        check(plain > 0, "red zone, plain gates", "%ld of 128 bytes changed", plain);
        check(!ist, "red zone, IST", "%ld of 128 bytes changed", ist);
}

static long reenter(long way)
{
        toll_call(NUMBER_toll_reentry, way);
        __asm__ volatile("ud2");
        return toll_call(NUMBER_toll_reentry, 0);
}

void try_reentry(void)
{
        if (!WIDE)
                return;
        long stay = reenter(1), move = reenter(2);
        print("IST re-entry: %ld of 5 words of the frame changed on the same stack, %ld by a "
              "handler that leaves it\n",
              stay, move);
        check(trusted ? stay >= FROM_CPL_0 : stay == FROM_CPL_3, "IST re-entry, same stack",
              "%ld of 5 words changed", stay);
        check(!move, "IST re-entry, off the stack", "%ld of 5 words changed", move);
}

/* A program at CPL 3 may not reduce the protection. */
void try_refused(void)
{
        char name[40];
        if (trusted)
                return;
        long half = toll_call(NUMBER_toll_protect, 1),
             remember = toll_call(NUMBER_toll_remember, 1);
        snprintf(name, sizeof name, "%s/refused", origin);
        check(half == -EPERM && remember == -EPERM, name, "half protected: %ld, remembered: %ld",
              half, remember);
}

/* The machine resets; the next boot reports it. */
void starve_unprotected(void)
{
        if (!trusted)
                return;
        if (counts_now().lacks & TOLL_LACKS_double_fault) {
                print_skip("starve", "unprotected", NO_DOUBLE_FAULT);
                return;
        }
        if (toll_call(NUMBER_toll_remember, 1))
                print("starve: the CMOS memory has no room to remember this\n");
        print("starve: push without a stack, unprotected: #PF -> #DF -> triple fault, and the "
              "machine resets\n");
        toll_call(NUMBER_toll_protect, 0);
        try_once(ways, stack_named("unmapped"), 0);
        toll_call(NUMBER_toll_remember, 0);
        check(false, "unprotected", "the machine is still there");
}
