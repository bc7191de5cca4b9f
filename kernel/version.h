/* version.h - this kernel's version, and the tools that built it (make sets COMPILER and
 * NASM_VERSION). */
#pragma once
#define VERSION "0.1.0"
