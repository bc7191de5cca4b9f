/* chain.c - the vectors that were taken, while a program asks for them. */
#include "cpu/chain.h"
#include "cpu/cpu.h"

bool chain_on;
static struct toll_chain now, before;

void chain_add(unsigned vector, const struct frame *frame)
{
        if (!chain_on || now.count++ >= TOLL_LINKS)
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
        if (chain_on && now.count && now.count <= TOLL_LINKS)
                now.link[now.count - 1].end = end;
}

const struct toll_chain *chain_record(bool on)
{
        before = now;
        now = (struct toll_chain){0};
        chain_on = on;
        return &before;
}
