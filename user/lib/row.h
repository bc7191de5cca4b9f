/* row.h - a row that was chosen is entered behind other calls. */
#pragma once
#include "lib.h"
#include "toll.h"

/* The last thing before its entry: any call disarms a row that is alone (mechanism.def, ALONE), and
 * so it is chosen once more. */
static inline void row_again(const struct toll_row *row, long index, enum flavour flavour)
{
        if (row->alone)
                toll_call(NUMBER_toll_select, index, flavour);
}
