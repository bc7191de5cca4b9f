/* stdlib.h - for the QR code generator. */
#ifndef TOLLGATE_USER_CONSOLE_CODES_SHIM_STDLIB_H
#define TOLLGATE_USER_CONSOLE_CODES_SHIM_STDLIB_H

#define abs(value) __builtin_abs(value)
#define labs(value) __builtin_labs(value)

#endif
