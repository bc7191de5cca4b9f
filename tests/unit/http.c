/* http.c - requests as the web server takes them apart (user/suites/web/http.h): by name, cut
 * anywhere, and made of pieces at random. */
#include "unit.h"
#include "http.h"

#define ROUNDS 100000

/* In a buffer of exactly its size. */
static struct http_request parsed(const char *text, size_t size)
{
        struct http_request request;
        char *copy = exact_copy(text, size);
        memset(&request, 0x5a, sizeof request);
        http_parse(&request, copy, size);
        free(copy);
        return request;
}

static void expect(const char *text, unsigned status, const char *path, bool stays)
{
        struct http_request request = parsed(text, strlen(text));
        if (request.status != status)
                fail_msg("%s: %u, not %u", text, request.status, status);
        if (status == HTTP_OK && strcmp(request.path, path))
                fail_msg("%s: %s, not %s", text, request.path, path);
        if (request.stays != stays)
                fail_msg("%s: it %s", text, request.stays ? "stays" : "does not stay");
        if (status == HTTP_OK)
                assert_int_equal(request.size, strlen(text));
}

#define HOST " HTTP/1.1\r\nHost: h\r\n"
#define END HOST "\r\n"

static void requests_are_taken_apart(void **state)
{
        (void)state;
        expect("GET /a" END, 200, "a", true);
        expect("HEAD /a" END, 200, "a", true);
        expect("GET /" END, 200, "index.html", true);
        expect("GET /a/" END, 200, "a/index.html", true);
        expect("GET /a/." END, 200, "a/index.html", true);
        expect("GET //a//./b" END, 200, "a/b", true);
        expect("GET /a?b=/../c" END, 200, "a", true);
        expect("GET /%61%2Fb" END, 200, "a/b", true);
        expect("GET http://h:80/a" END, 200, "a", true);
        expect("GET /a HTTP/1.0\r\n\r\n", 200, "a", false);
        expect("GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", 200, "a", true);
        expect("GET /a" HOST "connection: x, close\r\n\r\n", 200, "a", false);
        expect("GET /a" HOST "Content-Length: 0\r\n\r\n", 200, "a", true);
        expect("\r\nGET /a HTTP/1.1\nHOST:h\n\n", 200, "a", true);
}

static void wrong_ones_are_refused(void **state)
{
        (void)state;
        static const char *const bad[] = {
                "GET\r\n",
                "GET /a\r\n",
                "GET /a HTTP/2.0\r\n",
                "GET /a HTTP/1.x\r\n",
                "GET /a HTTP/1.1 \r\n",
                "GET  /a" END,
                "G(T /a" END,
                " /a" END,
                "GET a" END,
                "GET *" END,
                "GET http://h" END,
                "GET /%" END,
                "GET /%4" END,
                "GET /%zz" END,
                "GET /a%00b" END,
                "GET /\x01" END,
                "GET /a HTTP/1.1\r\n\r\n",
                "GET /a" HOST "Host: h\r\n\r\n",
                "GET /a" HOST "no colon\r\n",
                "GET /a" HOST "name : x\r\n",
                "GET /a" HOST ": x\r\n",
                "GET /a" HOST "a: b\r\n c\r\n",
                "GET /a" HOST "a: \x01\r\n",
                "GET /a" HOST "Content-Length: 5\r\n\r\nhello",
                "GET /a" HOST "Transfer-Encoding: chunked\r\n\r\n",
        };
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
                expect(bad[i], HTTP_BAD, "", false);
        expect("POST /a" END, HTTP_NOT_ALLOWED, "", true);
        expect("get /a" END, HTTP_NOT_ALLOWED, "", true);
        expect("POST /a" HOST "Content-Length: 5\r\n\r\nhello", HTTP_NOT_ALLOWED, "", false);
        expect("GET /.." END, HTTP_NOT_FOUND, "", true);
        expect("GET /../a" END, HTTP_NOT_FOUND, "", true);
        expect("GET /a/%2e%2E/b" END, HTTP_NOT_FOUND, "", true);
        expect("GET /a/%2e%2e%2fb" END, HTTP_NOT_FOUND, "", true);
}

static void long_ones_are_refused(void **state)
{
        (void)state;
        char text[HTTP_REQUEST + 1];
        memset(text, 'a', sizeof text);
        memcpy(text, "GET /", 5);
        assert_int_equal(parsed(text, HTTP_REQUEST - 1).status, HTTP_MORE);
        assert_int_equal(parsed(text, HTTP_REQUEST).status, HTTP_TOO_LONG);
        memcpy(text + 1000, END, strlen(END));
        assert_int_equal(parsed(text, 1000 + strlen(END)).status, HTTP_TOO_LONG);
        memcpy(text, "GET /" HOST "a: ", strlen("GET /" HOST "a: "));
        memset(text + strlen("GET /" HOST "a: "), 'a', sizeof text - strlen("GET /" HOST "a: "));
        assert_int_equal(parsed(text, HTTP_REQUEST).status, HTTP_BAD);
}

/* No part of a request is refused that is right as a whole, nor taken for the whole. */
static void half_a_request_is_none(void **state)
{
        (void)state;
        static const char text[] =
                "GET /a/b.html?c HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
        for (size_t size = 0; size < strlen(text); size++)
                assert_int_equal(parsed(text, size).status, HTTP_MORE);
        assert_int_equal(parsed(text, strlen(text)).status, HTTP_OK);
        assert_int_equal(parsed(text, sizeof text).size, strlen(text));
}

static size_t make(char *text, size_t most)
{
        static const char *const pieces[] = {
                "GET ",
                "HEAD ",
                "POST ",
                "/",
                "..",
                "/../",
                "%2e",
                "%2f",
                "%00",
                "%",
                "a",
                ".",
                "?",
                " ",
                "\r\n",
                "\n",
                "\r",
                ":",
                "\t",
                ",",
                "Host: h\r\n",
                "Connection: close\r\n",
                "Connection: keep-alive,",
                "HTTP/1.1\r\n",
                " HTTP/1.0\r\n",
                "http://",
                "Content-Length: 0\r\n",
                "\r\n\r\n",
                "\xff",
                "\x7f",
        };
        size_t size = 0;
        for (size_t count = chance_below(24); count; count--) {
                const char *piece = pieces[chance_below(sizeof pieces / sizeof *pieces)];
                size_t length = strlen(piece);
                if (chance_below(8) == 0) { /* any byte */
                        text[size++] = (char)chance();
                } else if (size + length < most) {
                        memcpy(text + size, piece, length);
                        size += length;
                }
        }
        if (chance_below(2)) { /* right at both ends */
                const char *start = chance_below(8) ? "GET /" : "PUT /";
                memmove(text + strlen(start), text, size);
                memcpy(text, start, strlen(start));
                memcpy(text + strlen(start) + size, END, strlen(END));
                size += strlen(start) + strlen(END);
        }
        return size;
}

static void check_path(const char *path)
{
        char with[HTTP_PATH + 2];
        assert_true(memchr(path, 0, HTTP_PATH) != NULL);
        assert_true(path[0] && path[0] != '/');
        snprintf(with, sizeof with, "/%s/", path);
        assert_null(strstr(with, "/../"));
        assert_null(strstr(with, "//"));
}

static void nothing_at_random_gets_out(void **state)
{
        (void)state;
        unsigned found[600] = {0};
        for (unsigned round = 0; round < ROUNDS; round++) {
                char text[1024], head[HTTP_HEAD];
                size_t size = make(text, sizeof text - 64);
                struct http_request request = parsed(text, size);
                assert_true(request.size <= size);
                assert_in_range(request.status, 0, 599);
                found[request.status]++;
                if (request.status == HTTP_OK)
                        check_path(request.path);
                if (request.status)
                        assert_in_range(
                                http_head(head, &request, "text/plain; charset=utf-8", UINT32_MAX),
                                60, sizeof head);
        }
        assert_true(found[HTTP_OK] > 100 && found[HTTP_BAD] > 1000 && found[HTTP_MORE] > 1000);
        assert_true(found[HTTP_NOT_FOUND] > 100 && found[HTTP_NOT_ALLOWED] > 10);
}

static void types_go_by_suffix(void **state)
{
        (void)state;
        assert_string_equal(http_type("a.html"), "text/html; charset=utf-8");
        assert_string_equal(http_type("a.b/c.svg"), "image/svg+xml");
        assert_string_equal(http_type(".html"), "application/octet-stream");
        assert_string_equal(http_type("html"), "application/octet-stream");
        assert_string_equal(http_type(""), "application/octet-stream");
}

int main(void)
{
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(requests_are_taken_apart),
                cmocka_unit_test(wrong_ones_are_refused),
                cmocka_unit_test(long_ones_are_refused),
                cmocka_unit_test(half_a_request_is_none),
                cmocka_unit_test(nothing_at_random_gets_out),
                cmocka_unit_test(types_go_by_suffix),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
