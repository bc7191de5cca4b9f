/* html.h - the text of a page: its tags, comments, scripts and styles left out, entities resolved.
 */
#ifndef TOLLGATE_LIB_HTML_H
#define TOLLGATE_LIB_HTML_H

#include <stddef.h>

/* Writes the text of `size` bytes of markup to `to`, as much as there is room for, in UTF-8 as it
 * came; returns how many bytes. No text is longer than its markup. Markup that is cut off at the
 * end is left out. On a page without mistakes it is what Python's html.parser hands over as data,
 * but for scripts and styles. */
size_t html_text(char *to, size_t room, const char *from, size_t size);

#endif
