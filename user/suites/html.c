/*
 * html.c - a page read and stripped of its markup, in ring 3, in ring 0 and by kernel code, five
 * runs of each: first as the document prints it, then with the file rewound, then rung by rung.
 * (HTML parsers of kernel and user space, best of N, 246 against 675 cycles)
 */
#include "reads/reads.h"

int main(int argc, char **argv)
{
        (void)argc;
        return reads_page(argv);
}
