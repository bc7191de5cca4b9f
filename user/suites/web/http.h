/*
 * http.h - requests of HTTP/1.0 and 1.1 taken apart, and the heads of answers (RFC 9110, RFC 9112).
 * It makes no call and keeps nothing: the host feeds it anything (tests/unit/http.c).
 */
#ifndef TOLLGATE_USER_SUITES_WEB_HTTP_H
#define TOLLGATE_USER_SUITES_WEB_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_REQUEST 2048 /* bytes of the longest request that is answered */
#define HTTP_PATH 256     /* of the path in it, with its 0 */
#define HTTP_HEAD 256     /* of the longest head of an answer */

enum http_status {
        HTTP_MORE = 0, /* the request has not come to its end */
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
        bool stays;           /* the connection does, once it is answered */
        size_t size;          /* bytes of it, from the first on */
        char path[HTTP_PATH]; /* decoded, below the root: no "/" at its start, no "." or ".." in it
                               */
};

/* The request that `text` begins with. After HTTP_BAD and HTTP_TOO_LONG nobody knows where the next
 * one begins. */
void http_parse(struct http_request *request, const char *text, size_t size);

/* The head of an answer with `length` bytes of a type, at `to`, which has HTTP_HEAD bytes: its
 * size. */
size_t http_head(char *to, const struct http_request *request, const char *type, uint32_t length);
const char *http_type(const char *path); /* by its suffix */
const char *http_reason(enum http_status status);

#endif
