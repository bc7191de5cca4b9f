/* assert.h - of the QR code generator: what must never be ends the program at that place. */
#ifndef TOLLGATE_USER_CONSOLE_CODES_SHIM_ASSERT_H
#define TOLLGATE_USER_CONSOLE_CODES_SHIM_ASSERT_H

#define assert(holds) ((holds) ? (void)0 : __builtin_trap())

#endif
