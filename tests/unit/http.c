/* http.c - requests and the heads of answers (user/suites/web/http.h), and half of each request. */
#include "unit.h"
#include "../../user/suites/web/http.h"

#define HOST "Host: a\r\n"
#define NEXT "GET /next HTTP/1.1\r\n"

static const struct {
        const char *text;
        enum http_status status;
        const char *path, *flags; /* old, head, stays */
} requests[] = {
        {"GET / HTTP/1.1\r\n" HOST "\r\n", HTTP_OK, "index.html", "s"},
        {"\r\nGET / HTTP/1.1\n" HOST "\n", HTTP_OK, "index.html", "s"},
        {"\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, "", ""},
        {"HEAD /a/./b//c?d HTTP/1.1\r\nhOST:\ta \r\n\r\n", HTTP_OK, "a/b/c", "hs"},
        {"GET /%41%7e/x/ HTTP/1.1\r\n" HOST "\r\n", HTTP_OK, "A~/x/index.html", "s"},
        {"GET http://host/a HTTP/1.9\r\n" HOST "\r\n", HTTP_OK, "a", "s"},
        {"GET http://host HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, "", ""},
        {"GET * HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, "", ""},
        {"GET /a/../b HTTP/1.1\r\n" HOST "\r\n", HTTP_NOT_FOUND, NULL, "s"},
        {"GET /.. HTTP/1.1\r\n" HOST "\r\n", HTTP_NOT_FOUND, NULL, "s"},
        {"GET /%4 HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, NULL, ""},
        {"GET /%4g HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, NULL, ""},
        {"GET /%g4 HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, NULL, ""},
        {"GET /%1f HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, NULL, ""},
        {"GET /a HTTP/1.1\r\n\r\n", HTTP_BAD, "a", ""},
        {"GET /a HTTP/1.1\r\n" HOST HOST "\r\n", HTTP_BAD, "a", ""},
        {"GET /a HTTP/1.1\r\n" HOST "no field\r\n\r\n", HTTP_BAD, "a", ""},
        {"GET /a HTTP/1.1\r\n" HOST ": none\r\n\r\n", HTTP_BAD, "a", ""},
        {"GET /a HTTP/1.1\r\n" HOST "x: \1\r\n\r\n", HTTP_BAD, "a", ""},
        {"GET /a HTTP/1.1\r\n" HOST "Connection: x, CLOSE\r\n\r\n", HTTP_OK, "a", ""},
        {"GET /a HTTP/1.0\r\n\r\n", HTTP_OK, "a", "o"},
        {"GET /a HTTP/1.0\r\nConnection:keep-alive ,x\r\n\r\n", HTTP_OK, "a", "os"},
        {"GET /a HTTP/1.0\r\nConnection: keep-aliv\r\n\r\n", HTTP_OK, "a", "o"},
        {"GET /a HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", HTTP_OK, "a", "s"},
        {"GET /a HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n", HTTP_BAD, "a", ""},
        {"GET /a HTTP/1.1\r\n" HOST "Transfer-Encoding: x\r\n\r\n", HTTP_BAD, "a", ""},
        {"POST /a HTTP/1.1\r\n" HOST "\r\n", HTTP_NOT_ALLOWED, "a", "s"},
        {"POST /a HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n", HTTP_NOT_ALLOWED, "a", ""},
        {"get /a HTTP/1.1\r\n" HOST "\r\n", HTTP_NOT_ALLOWED, "a", "s"},
        {"GE(T /a HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, "", ""},
        {" /a HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, "", ""},
        {"GET /a HTTP/2.0\r\n" HOST "\r\n", HTTP_BAD, "", ""},
        {"GET /a HTTP/1.a\r\n" HOST "\r\n", HTTP_BAD, "", ""},
        {"GET /a  HTTP/1.1\r\n" HOST "\r\n", HTTP_BAD, "", ""},
        {"GET /a\r\n", HTTP_BAD, "", ""},
};

static struct http_request parsed(const char *text, size_t size)
{
        struct http_request request;
        char *copy = exact_copy(text, size);
        http_parse(&request, copy, size);
        free(copy);
        return request;
}

/* Each request, its beginnings, and before another one. */
static void requests_are_what_they_say(void **state)
{
        for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
                char two[512];
                const char *text = requests[i].text, *path = requests[i].path;
                snprintf(two, sizeof two, "%s" NEXT, text);
                struct http_request r = parsed(two, strlen(two));
                char flags[] = {r.old ? 'o' : '-', r.head ? 'h' : '-', r.stays ? 's' : '-', 0};
                for (const char *flag = "ohs"; *flag; flag++)
                        if (!strchr(flags, *flag) != !strchr(requests[i].flags, *flag))
                                fail_msg("%s: %s", text, flags);
                if (r.status != requests[i].status || (path && strcmp(r.path, path)))
                        fail_msg("%s: %u, %s", text, (unsigned)r.status, r.path);
                if (r.status != HTTP_BAD)
                        assert_int_equal(r.size, strlen(text));
                for (size_t size = 0; r.status != HTTP_BAD && size < strlen(text); size++)
                        assert_int_equal(parsed(text, size).status, HTTP_MORE);
        }
}

/* A request and a path have a maximum. */
static void long_ones_are_refused(void **state)
{
        static char text[HTTP_REQUEST + 64];
        for (unsigned length = 200; length < 300; length++) {
                snprintf(text, sizeof text, "GET /%0*d HTTP/1.1\r\n" HOST "\r\n", (int)length, 0);
                struct http_request r = parsed(text, strlen(text));
                bool fits = length + sizeof "index.html" <= HTTP_PATH - 1;
                assert_int_equal(r.status, fits ? HTTP_OK : HTTP_TOO_LONG);
                assert_int_equal(r.stays, fits);
        }
        memset(text, 'a', sizeof text);
        assert_int_equal(parsed(text, HTTP_REQUEST - 1).status, HTTP_MORE);
        assert_int_equal(parsed(text, HTTP_REQUEST).status, HTTP_TOO_LONG);
        memcpy(text, NEXT, strlen(NEXT));
        assert_int_equal(parsed(text, HTTP_REQUEST - 1).status, HTTP_MORE);
        assert_int_equal(parsed(text, HTTP_REQUEST).status, HTTP_BAD);
}

static void check_head(struct http_request request, uint32_t length, const char *wanted)
{
        char head[HTTP_HEAD];
        size_t size = http_head(head, &request, http_type("a.js"), length);
        head[size] = 0;
        assert_string_equal(head, wanted);
}

static void heads_and_types(void **state)
{
        check_head((struct http_request){.status = HTTP_OK, .stays = true}, 4294967295u,
                   "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\n"
                   "Content-Length: 4294967295\r\n\r\n");
        check_head((struct http_request){.status = HTTP_NOT_ALLOWED}, 0,
                   "HTTP/1.1 405 Method Not Allowed\r\nContent-Type: text/javascript\r\n"
                   "Content-Length: 0\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n");
        check_head((struct http_request){.status = HTTP_NOT_FOUND, .stays = true, .old = true}, 10,
                   "HTTP/1.1 404 Not Found\r\nContent-Type: text/javascript\r\n"
                   "Content-Length: 10\r\nConnection: keep-alive\r\n\r\n");
        assert_string_equal(http_type("a.b.html"), "text/html; charset=utf-8");
        assert_string_equal(http_type(".ico"), "application/octet-stream");
        assert_string_equal(http_type("x.ico"), "image/x-icon");
        assert_string_equal(http_reason(HTTP_TOO_LONG), "414 URI Too Long");
        assert_string_equal(http_reason(HTTP_FAILED), "500 Internal Server Error");
        assert_string_equal(http_reason(HTTP_BAD), "400 Bad Request");
}

int main(void)
{
        const struct CMUnitTest tests[] = {cmocka_unit_test(requests_are_what_they_say),
                                           cmocka_unit_test(long_ones_are_refused),
                                           cmocka_unit_test(heads_and_types)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
