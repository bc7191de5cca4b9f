/* stdlib.h - for the QR code generator. */
#pragma once
#define abs(value) __builtin_abs(value)
#define labs(value) __builtin_labs(value)
