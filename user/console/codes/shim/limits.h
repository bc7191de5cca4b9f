/* limits.h - of the QR code generator: a compiler's own wants that of a libc behind it. */
#ifndef TOLLGATE_USER_CONSOLE_CODES_SHIM_LIMITS_H
#define TOLLGATE_USER_CONSOLE_CODES_SHIM_LIMITS_H

#define INT_MAX __INT_MAX__
#define LONG_MAX __LONG_MAX__

#endif
