/* limits.h - for the QR code generator: the compiler's own needs a libc's. */
#ifndef TOLLGATE_USER_CONSOLE_CODES_SHIM_LIMITS_H
#define TOLLGATE_USER_CONSOLE_CODES_SHIM_LIMITS_H

#define INT_MAX __INT_MAX__
#define LONG_MAX __LONG_MAX__

#endif
