/* http.h - parses requests of HTTP/1.0 and 1.1, and builds the heads of answers (RFC 9110, RFC
 * 9112). Without system calls and state, so the host can test it with anything (tests/unit/http.c).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_REQUEST 2048 /* bytes of the longest accepted request */
#define HTTP_PATH 256     /* maximum size of its path, with a 0 */
#define HTTP_HEAD 256     /* maximum size of an answer's head */

enum http_status {
        HTTP_MORE = 0, /* the request is incomplete */
        HTTP_OK = 200,
        HTTP_BAD = 400,
        HTTP_NOT_FOUND = 404,
        HTTP_NOT_ALLOWED = 405,
        HTTP_TOO_LONG = 414,
        HTTP_FAILED = 500,
};

struct http_request {
        enum http_status status;
        bool old;             /* HTTP/1.0 */
        bool head;            /* HEAD: the answer has no body */
        bool stays;           /* the connection stays open after the answer */
        size_t size;          /* its bytes, from the start */
        char path[HTTP_PATH]; /* decoded, relative to the root: no leading "/", no "." or ".." */
};

/* Parses the request at the start of `text`. After HTTP_BAD and HTTP_TOO_LONG the start of the next
 * one is unknown. */
void http_parse(struct http_request *request, const char *text, size_t size);

/* Writes the head of an answer with `length` bytes of a type to `to`, which has HTTP_HEAD bytes.
 * Returns its size. */
size_t http_head(char *to, const struct http_request *request, const char *type, uint32_t length);
const char *http_type(const char *path); /* by its suffix */
const char *http_reason(enum http_status status);
