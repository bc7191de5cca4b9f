/* chain.c - records the vectors taken, while a program asks for it. */
#include "trap/chain.h"
#include "cpu/cpu.h"
#include "cpu/work.h"
#include "trap/dispatch.h"

static bool on;
static struct toll_chain now, before;

void chain_add(unsigned vector, const struct frame *frame)
{
        if (!on || now.count++ >= TOLL_LINKS)
                return;
        unsigned last = now.count - 1;
        now.link[last].vector = vector;
        now.link[last].error = (uint32_t)frame->number;
        now.link[last].end = TOLL_WENT_ON;
        now.link[last].cr2 = cr2_read();
        now.link[last].ip = frame->ip;
}

void chain_end(unsigned end)
{
        if (on && now.count && now.count <= TOLL_LINKS)
                now.link[now.count - 1].end = end;
}

/* Replaces trap_dispatch() while recording. */
static bool chain_dispatch(uintptr_t vector, struct frame *frame)
{
        unsigned at = now.count;
        chain_add((unsigned)vector, frame);
        bool user = trap_dispatch(vector, frame);
        if (at < TOLL_LINKS && now.link[at].end == TOLL_WENT_ON)
                now.link[at].end = cpu_work & WORK_EXIT     ? TOLL_DEATH
                                   : cpu_work & WORK_SIGNAL ? TOLL_SIGNAL
                                                            : TOLL_WENT_ON;
        return user;
}

static enum fault chain_memory_fault(struct memory *memory, uintptr_t address, unsigned access)
{
        return FAULT_NOT_ASKED;
}

const struct toll_chain *chain_record(bool record)
{
        static const struct trap_way recorded = {chain_dispatch, chain_memory_fault};
        before = now;
        now = (struct toll_chain){0};
        if (on != record)
                trap_by(record ? &recorded : NULL);
        on = record;
        return &before;
}
