/* registers.c - the registers that a row names, in the order of struct registers. */
#include "registers.h"
#include "toll.h"

unsigned registers_of(unsigned changes)
{
        static const unsigned bits[] = {
                [REG_BX] = TOLL_BX, [REG_CX] = TOLL_CX, [REG_DX] = TOLL_DX,
                [REG_SI] = TOLL_SI, [REG_DI] = TOLL_DI, [REG_BP] = TOLL_BP,
        };
        unsigned set = 0;
        for (unsigned i = 0; i < REGISTERS; i++)
                if (changes & (i < sizeof bits / sizeof *bits ? bits[i] : i < REG_R8 ? 0 : 1u << i))
                        set |= 1u << i;
        return set;
}
