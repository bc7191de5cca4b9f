/* version.h - what this kernel is, and what built it (COMPILER and NASM_VERSION come from make). */
#ifndef TOLLGATE_VERSION_H
#define TOLLGATE_VERSION_H

#define VERSION "0.1.0"

#endif
