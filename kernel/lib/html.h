/* html.h - the text of an HTML page: without tags, comments, scripts and styles, entities
 * resolved. */
#pragma once
#include <stddef.h>

/* Writes the text of `size` bytes of markup to `to`, as much as fits, in the input's UTF-8; returns
 * the number of bytes. The text is never longer than the markup. Incomplete markup at the end is
 * left out. On a correct page the result is the data of Python's html.parser, without scripts and
 * styles. */
size_t html_text(char *to, size_t room, const char *from, size_t size);
