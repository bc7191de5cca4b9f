/* taken.c - occupies the page where a kernel would put stubs for a program's system calls
 * (docs/trusted.md), so the program keeps its SYSCALLs. In the program for comparison the linker
 * places it elsewhere. */
char taken[4096] __attribute__((section(".taken"), used)) = {1};
