/* code.h - QR codes of packed records: how many, and each (tools/tollgate/records/packing.py). */
#ifndef TOLLGATE_USER_CONSOLE_CODES_CODE_H
#define TOLLGATE_USER_CONSOLE_CODES_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_QUIET 4   /* light modules around a code, as its standard asks */
#define CODES_MOST 255 /* what their number has room for */

struct codes {
        const uint8_t *bytes;
        size_t length;
        uint32_t run; /* CRC-32 of all the bytes: whose code it is, and whether all are right */
        unsigned count;
        int version;    /* of each: 1 to 40 */
        uint8_t format; /* CODES_WHOLE, CODES_TOLL */
};
enum {
        CODES_WHOLE = 1, /* all records of the run */
        CODES_TOLL       /* those of its toll alone */
};

/* As few codes as it takes, all of one size, none with more than `side` modules with what must be
 * light around it. False = more than CODES_MOST, or nothing fits. */
bool codes_plan(struct codes *codes, const uint8_t *bytes, size_t length, unsigned side);
/* Makes code `index` (from 0); then code_size() modules a side, code_dark() of each. */
bool code_make(const struct codes *codes, unsigned index);
unsigned code_size(void);
bool code_dark(unsigned x, unsigned y);

#endif
