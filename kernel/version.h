/* version.h - this kernel's version, and the tools that built it (make sets COMPILER and
 * NASM_VERSION). */
#ifndef TOLLGATE_VERSION_H
#define TOLLGATE_VERSION_H

#define VERSION "0.1.0"

#endif
