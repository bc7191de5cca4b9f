/* version.h - the version of this kernel, and the tools that built it (COMPILER and NASM_VERSION
 * come from make). */
#ifndef TOLLGATE_VERSION_H
#define TOLLGATE_VERSION_H

#define VERSION "0.1.0"

#endif
