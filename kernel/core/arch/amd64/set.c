/* set.c - the parts of a set that are not code of its half (entry/part.def): the table of calls
 * whose service routine returns through a part, and the base of GS that SWAPGS exchanges.
 *
 * Between a call's two SWAPGS, IA32_GS_BASE holds GATE_PAGE, which IA32_KERNEL_GS_BASE holds
 * otherwise. A thread that leaves the processor there, or changes its base, must still get its base
 * by the second SWAPGS, so from then on both MSRs hold it. Programs without such a set pay nothing:
 * two functions are exchanged when one is armed, frame_leave() until the next change of threads,
 * segments_change() until the next one to a thread without such a set. */
#include "cpu/alternatives.h"
#include "cpu/breakpoint.h"
#include "cpu/features.h"
#include "entry/entry.h"
#include "entry/ways.h"
#include "isolation.h"
#include "thread/call.h"

extern call *const clean_compat_calls[CALLS], *const probed_compat_calls[CALLS];
extern call clean_user_getpid, probed_user_getpid;
extern const char frame_leave_on[]; /* exit.asm */
extern call *const clean_direct_calls[CALLS], clean_user_lazy_numbered, clean_user_lazy_whole;
call *lazy_calls[CALLS]; /* the targets of syscall/lazy */
call *set_calls[CALLS];  /* CALL_TABLE for parts that RETURN */

static void make_calls(struct selection selected)
{
        bool narrow = selected.row->origin == ORIGIN_COMPAT;
        bool probed = selected.flavour == FLAVOUR_probed;
        call *const *from = narrow   ? probed ? probed_compat_calls : clean_compat_calls
                            : probed ? probed_calls
                                     : clean_calls;
        call *usual = probed ? probed_user_getpid : clean_user_getpid;
        for (size_t i = 0; i < CALLS; i++)
                set_calls[i] = from[i] == usual ? (call *)selected.row->service[probed] : from[i];
}

/* A call that the direct call treats like the others needs no frame, only its number. */
void lazy_prepare(struct selection selected)
{
        bool probed = selected.flavour == FLAVOUR_probed;
        call *service = probed ? probed_user_getpid : clean_user_getpid;
        for (size_t i = 0; i < CALLS; i++)
                lazy_calls[i] = (probed ? probed_calls : clean_calls)[i] == service ? service
                                : clean_direct_calls[i] == clean_calls[i] ? clean_user_lazy_numbered
                                                                          : clean_user_lazy_whole;
}

static bool swaps(const struct thread *thread)
{
        for (enum mechanism m = 0; m < MECHANISMS; m++)
                if (thread->armed[m].row && thread->armed[m].row->swaps)
                        return true;
        return false;
}

/* Replaces frame_leave(), which executes no second SWAPGS. */
static void leave_swapped(void)
{
        if (msr_read(IA32_GS_BASE) == GATE_PAGE)
                __asm__ volatile("swapgs");
        __asm__ volatile("mov %0, %%rsp; jmp frame_leave_on" : : "m"(cpu_stack));
}

static void change_both(const struct segments *to);
static struct text_jump
        leave_jump = {(uint8_t *)frame_leave, JUMP_NEAR, (uintptr_t)leave_swapped, {0}, false},
        change_jump = {(uint8_t *)segments_change, JUMP_NEAR, (uintptr_t)change_both, {0}, false};

/* Replaces segments_change(). */
static void change_both(const struct segments *to)
{
        const struct thread *thread =
                (const struct thread *)((const char *)to - offsetof(struct thread, segments));
        bool swapped = swaps(thread);
        if (leave_jump.written) /* from now on SWAPGS changes nothing, or nobody executes it */
                text_exchange(&leave_jump);
        if (!swapped)
                text_exchange(&change_jump);
        segments_load(to);
        wrmsr(IA32_KERNEL_GS_BASE, swapped ? msr_read(IA32_GS_BASE) : GATE_PAGE);
}

static void set_look(void)
{
        breakpoint_seen.cr3 = ways_isolated ? isolation_found : cr3_read();
        breakpoint_seen.gs_base = msr_read(IA32_GS_BASE);
        if (feature_has(FEATURE_IBRS))
                breakpoint_seen.spec_ctrl = msr_read(IA32_SPEC_CTRL);
}

void set_prepare(struct selection selected)
{
        if (selected.row->swaps && !change_jump.written)
                text_exchange(&change_jump);
        if (selected.row->swaps && !leave_jump.written)
                text_exchange(&leave_jump);
        if (selected.row->needs & 1u << FEATURE_PCID)
                isolation_number();
        breakpoint_look = set_look;
        if (selected.row->service[0])
                make_calls(selected);
}
