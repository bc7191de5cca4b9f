/* console.h - shared by the console programs: output, error messages, options. */
#pragma once
#include "linux.h"

/* Writes all of it. 0 or -errno. */
long put(int descriptor, const void *data, size_t size);
long put_text(int descriptor, const char *text);
/* Like printf, up to 1,000 bytes. */
void put_format(int descriptor, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "cp: /x: no such file or directory" on descriptor 2. `error` is -errno. Returns 1. */
int complain(const char *program, const char *subject, long error);
int usage(const char *text); /* "usage: ..." on descriptor 2. Returns 2 */

/* Removes the program's name and the options from *arguments. Returns a bit for each letter of
 * `known` that was given; -1 for any other letter. */
int options_take(char ***arguments, const char *known);

/* The value of a decimal number; -1 = not a number, or too large. */
long decimal(const char *text);

/* Calls `act` for every path, prints a message for each failure, and returns 0 or 1. */
int for_each(const char *program, char **paths, long (*act)(const char *path));

/* Calls `act` with a descriptor for each file. "-", or no file at all, means descriptor 0. 0, or 1
 * if a file could not be opened or read. */
int for_each_file(const char *program, char **paths, long (*act)(int descriptor, const char *path));

const char *base_name(const char *path); /* the part after the last slash */
/* directory/name into to[PATH_MAX]. 0 or -ENAMETOOLONG. */
long path_join(char *to, const char *directory, const char *name);
bool is_directory(const char *path);
/* `path` itself, or path/base_name(source) in to[PATH_MAX] if a directory; NULL = too long. */
const char *path_into(char *to, const char *path, const char *source);

/* kill [-SIGNAL] PID... */
int send_signals(char **arguments);

/* Copies all bytes of one descriptor to another. 0 or -errno. */
long copy_all(int from, int to);
