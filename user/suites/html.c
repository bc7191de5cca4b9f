/* html.c - reads a page and strips its markup, in ring 3, in ring 0 and in kernel code, five runs
 * each: first as the document prints it, then with the file rewound, then by each method. (HTML
 * parsers of kernel and user space, best of N, 246 against 675 cycles) */
#include "reads/reads.h"

int main(int argc, char **argv)
{
        return reads_page(argv);
}
