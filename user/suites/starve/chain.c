/* chain.c - prints the vectors that the kernel saw, in words. */
#include "starve.h"

static const char *vector_name(unsigned vector)
{
        static const char *const names[] = {
                [VECTOR_DB] = "#DB", [VECTOR_NMI] = "NMI", [VECTOR_UD] = "#UD", [VECTOR_NM] = "#NM",
                [VECTOR_DF] = "#DF", [VECTOR_SS] = "#SS",  [VECTOR_GP] = "#GP", [VECTOR_PF] = "#PF",
        };
        static char other[16];
        if (vector < sizeof names / sizeof *names && names[vector])
                return names[vector];
        if (vector == VECTOR_TIMER)
                return "APIC timer";
        snprintf(other, sizeof other, vector < VECTOR_IRQ0 ? "vector %u" : "IRQ %u",
                 vector < VECTOR_IRQ0 ? vector : vector - VECTOR_IRQ0);
        return other;
}

static struct toll_chain chain;

void chain_start(void)
{
        memset(&chain, 0, sizeof chain);
        toll_call(NUMBER_toll_chain, 1);
}

void chain_stop(void)
{
        toll_call(NUMBER_toll_chain, 0, &chain);
}

/* A #DF means that a #PF's own frame could not be pushed: no handler saw that #PF. */
void chain_print(const char *what, const char *end)
{
        char text[400];
        size_t at = 0;
        text[0] = 0;
        for (unsigned i = 0; i < chain.count && i < TOLL_LINKS && at < sizeof text - 80; i++) {
                char error[16] = "", address[24] = "";
                unsigned vector = chain.link[i].vector;
                if (vector == VECTOR_DF || (vector >= VECTOR_SS && vector <= VECTOR_PF))
                        snprintf(error, sizeof error, "(%x)", chain.link[i].error);
                if (vector == VECTOR_PF || vector == VECTOR_DF)
                        snprintf(address, sizeof address, " cr2=%llx",
                                 (unsigned long long)chain.link[i].cr2);
                at += (size_t)snprintf(text + at, sizeof text - at, "%s%s%s%s%s -> ",
                                       vector == VECTOR_DF ? "#PF -> " : "", vector_name(vector),
                                       error, address,
                                       chain.link[i].end == TOLL_FOUND ? ", found in service" : "");
        }
        print("%s: %s%s%s\n", what, text, chain.count > TOLL_LINKS ? "... -> " : "", end);
}
