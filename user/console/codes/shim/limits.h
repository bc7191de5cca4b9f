/* limits.h - for the QR code generator: the compiler's own needs a libc's. */
#pragma once
#define INT_MAX __INT_MAX__
#define LONG_MAX __LONG_MAX__
