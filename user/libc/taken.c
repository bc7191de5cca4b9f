/* taken.c - something in the page where a kernel would put the stubs of a program's system calls
 * (docs/trusted.md): the program keeps its SYSCALLs. The linker gives it another place in the
 * program that is compared with it. */
char taken[4096] __attribute__((section(".taken"), used)) = {1};
