/* taken.c - something in the page where a kernel would put the stubs of a program's system calls
 * (docs/trusted.md): the program keeps its SYSCALLs. */
char taken[4096] __attribute__((section(".taken"), used)) = {1};
