/* assert.h - for the QR code generator: a failed assertion ends the program at that place. */
#ifndef TOLLGATE_USER_CONSOLE_CODES_SHIM_ASSERT_H
#define TOLLGATE_USER_CONSOLE_CODES_SHIM_ASSERT_H

#define assert(holds) ((holds) ? (void)0 : __builtin_trap())

#endif
