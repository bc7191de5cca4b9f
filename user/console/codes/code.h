/* code.h - QR codes of packed records: number and contents (tools/tollgate/records/packing.py). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_QUIET 4   /* light modules around a code, required by its standard */
#define CODES_MOST 255 /* limit of their number's format */

struct codes {
        const uint8_t *bytes;
        size_t length;
        uint32_t run; /* CRC-32 of all bytes: identifies the run, and checks completeness */
        unsigned count;
        int version;    /* version of each code: 1 to 40 */
        uint8_t format; /* CODES_WHOLE, CODES_TOLL */
};
enum {
        CODES_WHOLE = 1, /* all records of the run */
        CODES_TOLL       /* only the records of the run's toll */
};

/* The fewest codes possible, all of one size, none with more than `side` modules including its
 * light margin. False = more than CODES_MOST, or nothing fits. */
bool codes_plan(struct codes *codes, const uint8_t *bytes, size_t length, unsigned side);
/* Makes code `index` (from 0); then code_size() is its modules per side, code_dark() each one. */
bool code_make(const struct codes *codes, unsigned index);
unsigned code_size(void);
bool code_dark(unsigned x, unsigned y);
