/* space.c - all the space that files may have: Tollgate's alone. */
#include "files.h"

/* They leave half of the memory to programs, and give all of it back. */
void try_space(void)
{
        long part, first = 0, second = 0;
        for (long *total = &first; total; total = total == &first ? &second : NULL) {
                long fd = open_at("file", O_CREAT | O_WRONLY | O_TRUNC);
                while ((part = SYS(write, fd, buffer, sizeof buffer)) > 0)
                        *total += part;
                expect("write: no more space", part, -ENOSPC);
                SYS(close, fd);
                SYS(unlink, "file");
        }
        check(first > 1 << 20 && second == first, "space", "%ld bytes, then %ld", first, second);
}
