/* origin.h - the origin of a program's calls, which decides its limit, privilege and rows. */
#pragma once
enum origin {
        ORIGIN_USER,   /* ring 3, in the kernel's own width */
        ORIGIN_COMPAT, /* ring 3, 32 bits under a 64-bit kernel */
        ORIGIN_TRUSTED /* ring 0, in the kernel's own width */
};
#define ORIGINS_MOST 3
