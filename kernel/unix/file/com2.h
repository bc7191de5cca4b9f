/* com2.h - /dev/ttyS1. */
#ifndef TOLLGATE_UNIX_FILE_COM2_H
#define TOLLGATE_UNIX_FILE_COM2_H

struct file;

extern const struct file_kind com2_kind;
int com2_open(struct file *file); /* -ENXIO without such a line */
void com2_service(void);          /* wakes the threads that wait for its bytes, if some have come */

#endif
