/* http.c - parses a request, line by line, and builds the head of an answer. */
#include "http.h"
#include "lib/string.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* The unread part of a request. */
struct text {
        const char *at, *end;
};

static char lower(char c)
{
        return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

/* RFC 9110, "Tokens" */
static bool is_token(char c)
{
        return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
               (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_blank(char c)
{
        return c == ' ' || c == '\t';
}

/* Takes a line without its end, CR LF or LF alone; `rest` starts behind it. False = no end yet. */
static bool take_line(struct text *rest, struct text *line)
{
        const char *end = rest->at;
        while (end < rest->end && *end != '\n')
                end++;
        if (end == rest->end)
                return false;
        *line = (struct text){rest->at, end > rest->at && end[-1] == '\r' ? end - 1 : end};
        rest->at = end + 1;
        return true;
}

/* Removes a word from the start, ignoring case. */
static bool skip(struct text *text, const char *word)
{
        const char *at = text->at;
        for (; *word; word++, at++)
                if (at == text->end || lower(*at) != lower(*word))
                        return false;
        text->at = at;
        return true;
}

static int digit(char c)
{
        c = lower(c);
        return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes one decoded character of a path (RFC 3986, "Percent-Encoding"). 0 = an invalid one. */
static char take_character(struct text *text)
{
        char c = *text->at++;
        if (c == '%') {
                int high = text->end - text->at < 2 ? -1 : digit(text->at[0]);
                int low = high < 0 ? -1 : digit(text->at[1]);
                if (low < 0)
                        return 0;
                text->at += 2;
                c = (char)(high << 4 | low);
        }
        return (unsigned char)c < ' ' || c == 0x7f ? 0 : c;
}

/* Handles the end of the name at `start`: an empty one and "." go, ".." removes its parent. */
static enum http_status end_name(char *path, size_t start, size_t *length)
{
        size_t size = *length - start;
        if (size == 2 && !memcmp(path + start, "..", 2))
                return HTTP_NOT_FOUND;
        if (!size || (size == 1 && path[start] == '.'))
                *length = start;
        else
                path[(*length)++] = '/';
        return HTTP_OK;
}

/* The path ends at a question mark. If it ends in "/", index.html is added. */
static enum http_status take_path(struct text *target, char path[HTTP_PATH])
{
        static const char index[] = "index.html";
        size_t length = 0, start = 0;
        while (target->at < target->end && *target->at != '?') {
                char c = take_character(target);
                if (!c)
                        return HTTP_BAD;
                if (length + sizeof index + 1 >= HTTP_PATH)
                        return HTTP_TOO_LONG;
                if (c != '/') {
                        path[length++] = c;
                        continue;
                }
                if (end_name(path, start, &length) != HTTP_OK)
                        return HTTP_NOT_FOUND;
                start = length;
        }
        bool named = length > start;
        if (end_name(path, start, &length) != HTTP_OK)
                return HTTP_NOT_FOUND;
        if (named && length > start)
                path[length - 1] = 0;
        else
                memcpy(path + length, index, sizeof index);
        return HTTP_OK;
}

/* The origin form, or the absolute one, which is for proxies (RFC 9112, "Request Target"). */
static enum http_status take_target(struct text target, char path[HTTP_PATH])
{
        if (skip(&target, "http://"))
                while (target.at < target.end && *target.at != '/')
                        target.at++;
        if (target.at == target.end || *target.at != '/')
                return HTTP_BAD;
        return take_path(&target, path);
}

static struct text take_word(struct text *line)
{
        struct text word = *line;
        while (line->at < line->end && *line->at != ' ')
                line->at++;
        word.end = line->at;
        if (line->at < line->end)
                line->at++;
        return word;
}

static bool is_method(struct text method)
{
        const char *at = method.at;
        while (at < method.end && is_token(*at))
                at++;
        return at == method.end && at > method.at;
}

/* GET and HEAD, in capitals: methods are case-sensitive. */
static enum http_status method_of(struct http_request *request, struct text method)
{
        size_t size = (size_t)(method.end - method.at);
        request->head = size == 4 && !memcmp(method.at, "HEAD", 4);
        return request->head || (size == 3 && !memcmp(method.at, "GET", 3)) ? HTTP_OK
                                                                            : HTTP_NOT_ALLOWED;
}

/* Method, target and version, separated by one space. */
static enum http_status take_first_line(struct http_request *request, struct text line)
{
        struct text method = take_word(&line), target = take_word(&line), version = line;
        if (!is_method(method) || version.end - version.at != 8 ||
            memcmp(version.at, "HTTP/1.", 7) || digit(version.at[7]) < 0 ||
            digit(version.at[7]) > 9)
                return HTTP_BAD;
        request->old = version.at[7] == '0';
        request->stays = !request->old;
        enum http_status status = take_target(target, request->path);
        return status == HTTP_OK ? method_of(request, method) : status;
}

struct fields {
        unsigned hosts;
        bool closes, stays, has_body;
};

static struct text trimmed(struct text text)
{
        while (text.at < text.end && is_blank(*text.at))
                text.at++;
        while (text.at < text.end && is_blank(text.end[-1]))
                text.end--;
        return text;
}

static bool is(struct text text, const char *word)
{
        return skip(&text, word) && text.at == text.end;
}

static void take_connection(struct fields *fields, struct text value)
{
        while (value.at < value.end) {
                struct text option = value;
                while (value.at < value.end && *value.at != ',')
                        value.at++;
                option.end = value.at;
                option = trimmed(option);
                fields->closes |= is(option, "close");
                fields->stays |= is(option, "keep-alive");
                value.at += value.at < value.end;
        }
}

/* False: not a field. A line that begins with a blank is an obsolete continuation. */
static bool take_field(struct fields *fields, struct text line)
{
        struct text name = line;
        while (line.at < line.end && is_token(*line.at))
                line.at++;
        name.end = line.at;
        if (name.at == name.end || line.at == line.end || *line.at++ != ':')
                return false;
        for (const char *at = line.at; at < line.end; at++)
                if ((unsigned char)*at < ' ' && *at != '\t')
                        return false;
        line = trimmed(line);
        if (is(name, "host"))
                fields->hosts++;
        else if (is(name, "connection"))
                take_connection(fields, line);
        else if (is(name, "transfer-encoding"))
                fields->has_body = true;
        else if (is(name, "content-length"))
                fields->has_body |= !is(line, "0");
        return true;
}

/* The end of a body is not searched. */
static enum http_status refuse(struct http_request *request)
{
        request->stays = false;
        return request->status == HTTP_NOT_ALLOWED ? HTTP_NOT_ALLOWED : HTTP_BAD;
}

/* A request of HTTP/1.1 names one host; none with an allowed method has a body. */
static enum http_status judge(struct http_request *request, const struct fields *fields)
{
        if (fields->has_body || fields->hosts > 1 || (!request->old && !fields->hosts))
                return refuse(request);
        if (request->old)
                request->stays = fields->stays;
        if (fields->closes)
                request->stays = false;
        return request->status;
}

static enum http_status parse(struct http_request *request, struct text *rest)
{
        struct text line;
        struct fields fields = {0};
        if (!take_line(rest, &line))
                return HTTP_MORE;
        if (line.at == line.end && !take_line(rest, &line)) /* one empty line may precede it */
                return HTTP_MORE;
        request->status = take_first_line(request, line);
        if (request->status == HTTP_BAD || request->status == HTTP_TOO_LONG)
                return request->status;
        while (take_line(rest, &line)) {
                if (line.at == line.end)
                        return judge(request, &fields);
                if (!take_field(&fields, line))
                        return HTTP_BAD;
        }
        return HTTP_MORE;
}

void http_parse(struct http_request *request, const char *text, size_t size)
{
        struct text rest = {text, text + size};
        request->old = request->head = request->stays = false;
        request->path[0] = 0;
        request->status = parse(request, &rest);
        if (request->status == HTTP_MORE && size >= HTTP_REQUEST)
                request->status = rest.at == text ? HTTP_TOO_LONG : HTTP_BAD;
        if (request->status == HTTP_BAD || request->status == HTTP_TOO_LONG)
                request->stays = false;
        request->size = (size_t)(rest.at - text);
}

const char *http_reason(enum http_status status)
{
        switch (status) {
        case HTTP_OK: return "200 OK";
        case HTTP_NOT_FOUND: return "404 Not Found";
        case HTTP_NOT_ALLOWED: return "405 Method Not Allowed";
        case HTTP_TOO_LONG: return "414 URI Too Long";
        case HTTP_FAILED: return "500 Internal Server Error";
        default: return "400 Bad Request";
        }
}

const char *http_type(const char *path)
{
        static const struct {
                const char *suffix, *type;
        } types[] = {{".html", "text/html; charset=utf-8"},
                     {".txt", "text/plain; charset=utf-8"},
                     {".css", "text/css"},
                     {".js", "text/javascript"},
                     {".json", "application/json"},
                     {".svg", "image/svg+xml"},
                     {".png", "image/png"},
                     {".jpg", "image/jpeg"},
                     {".ico", "image/x-icon"}};
        size_t length = strlen(path);
        for (size_t i = 0; i < COUNT(types); i++) {
                size_t suffix = strlen(types[i].suffix);
                if (length > suffix && !strcmp(path + length - suffix, types[i].suffix))
                        return types[i].type;
        }
        return "application/octet-stream";
}

static char *add(char *to, const char *text)
{
        size_t size = strlen(text);
        memcpy(to, text, size);
        return to + size;
}

static char *add_number(char *to, uint32_t number)
{
        char digits[10];
        unsigned count = 0;
        do {
                digits[count++] = (char)('0' + number % 10);
                number /= 10;
        } while (number);
        while (count)
                *to++ = digits[--count];
        return to;
}

size_t http_head(char *to, const struct http_request *request, const char *type, uint32_t length)
{
        char *at = add(add(to, "HTTP/1.1 "), http_reason(request->status));
        at = add(add(at, "\r\nContent-Type: "), type);
        at = add_number(add(at, "\r\nContent-Length: "), length);
        if (request->status == HTTP_NOT_ALLOWED)
                at = add(at, "\r\nAllow: GET, HEAD");
        if (!request->stays)
                at = add(at, "\r\nConnection: close");
        else if (request->old)
                at = add(at, "\r\nConnection: keep-alive");
        return (size_t)(add(at, "\r\n\r\n") - to);
}
