/* symbol.c - looks addresses up in a table that the build makes of the kernel's symbols. */
#include "cpu/symbol.h"
#include "lib/printf.h"
#include "lib/table.h"

extern const struct symbol {
        uintptr_t address;
        const char *name;
} symbols[] __attribute__((weak)), symbols_end[] __attribute__((weak));
extern char image_start[], text_end[];

const char *symbol_at(uintptr_t address)
{
        static char text[64];
        if (address < (uintptr_t)image_start || address >= (uintptr_t)text_end)
                return "?";
        const struct symbol *best =
                table_find(symbols, symbols_end, sizeof *best / sizeof(uintptr_t), address);
        if (!best)
                return "?";
        snprintf(text, sizeof text, "%s+%lx", best->name, (unsigned long)(address - best->address));
        return text;
}
