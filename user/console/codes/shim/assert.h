/* assert.h - for the QR code generator: a failed assertion ends the program at that place. */
#pragma once
#define assert(holds) ((holds) ? (void)0 : __builtin_trap())
