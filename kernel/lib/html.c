/* html.c - the text of an HTML page. A tag begins with `<` and a letter or `/`, and ends with the
 * next `>` outside of quotes; `<!--` ends with `-->`; a script or a style ends with its own end tag
 * (HTML Living Standard, Tokenization, as far as the text needs it). */
#include "lib/html.h"
#include <stdbool.h>
#include <stdint.h>
#include "lib/string.h"

#define REPLACEMENT 0xfffd /* used for a number that is not a character */
#define CHARACTER_MOST 0x10ffff

struct text {
        char *to;
        size_t room, done;
};

static const struct entity {
        const char *name;
        uint32_t character;
} entities[] = {
#define ENTITY(name, character) {name, character},
#include "entities.def"
#undef ENTITY
};
#define ENTITIES (sizeof entities / sizeof *entities)

static bool is_space(char c)
{
        return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static char lower(char c)
{
        return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool is_letter(char c)
{
        return lower(c) >= 'a' && lower(c) <= 'z';
}

static void html_put(struct text *text, char c)
{
        if (text->done < text->room)
                text->to[text->done++] = c;
}

/* Writes it in UTF-8; a character that does not fit is left out. */
static void put_character(struct text *text, uint32_t c)
{
        static const uint8_t heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
        unsigned bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        if (bytes > text->room - text->done)
                return;
        html_put(text, (char)(bytes == 1 ? c : heads[bytes] | c >> 6 * (bytes - 1)));
        while (--bytes)
                html_put(text, (char)(0x80 | (c >> 6 * (bytes - 1) & 0x3f)));
}

/* The character with this name, or 0. */
static uint32_t character_of(const char *name, size_t length)
{
        size_t first = 0, count = ENTITIES;
        while (count) {
                const struct entity *middle = &entities[first + count / 2];
                int order = strncmp(name, middle->name, length);
                if (!order && !middle->name[length])
                        return middle->character;
                if (order > 0) {
                        first += count / 2 + 1;
                        count -= count / 2 + 1;
                } else {
                        count /= 2;
                }
        }
        return 0;
}

static unsigned digit_of(char c)
{
        return c >= '0' && c <= '9' ? (unsigned)(c - '0')
               : is_letter(c)       ? (unsigned)(lower(c) - 'a') + 10
                                    : UINT32_MAX;
}

/* The text after `&#` and a number, or NULL if there is none. */
static const char *html_number(const char *at, const char *end, struct text *text)
{
        uint32_t base = at < end && lower(*at) == 'x' ? 16 : 10, value = 0;
        const char *first = at += base == 16;
        for (; at < end && digit_of(*at) < base; at++)
                if (value <= CHARACTER_MOST)
                        value = value * base + digit_of(*at);
        if (at == first)
                return NULL;
        bool is_none = !value || value > CHARACTER_MOST || value >> 11 == 0xd800 >> 11;
        put_character(text, is_none ? REPLACEMENT : value);
        return at < end && *at == ';' ? at + 1 : at;
}

/* Called at a `&`: returns the end of the reference, or NULL if it is an ordinary character. */
static const char *reference(const char *at, const char *end, struct text *text)
{
        const char *name = at + 1, *behind = name;
        if (name < end && *name == '#')
                return html_number(name + 1, end, text);
        while (behind < end && digit_of(*behind) != UINT32_MAX)
                behind++;
        uint32_t c =
                behind < end && *behind == ';' ? character_of(name, (size_t)(behind - name)) : 0;
        if (!c)
                return NULL;
        put_character(text, c);
        return behind + 1;
}

static bool begins(const char *at, const char *end, const char *with, size_t length)
{
        if ((size_t)(end - at) < length)
                return false;
        for (size_t i = 0; i < length; i++)
                if (lower(at[i]) != with[i])
                        return false;
        return true;
}

/* The text behind the next mark, or the end. */
static const char *behind(const char *at, const char *end, const char *mark)
{
        size_t length = strlen(mark);
        while (at < end && !begins(at, end, mark, length))
                at++;
        return at < end ? at + length : end;
}

/* The end tag of a script or style, whose content is not markup. */
static const char *end_tag_of(const char *at, const char *end, const char *name)
{
        size_t length = strlen(name);
        for (; at < end; at++)
                if (begins(at, end, "</", 2) && begins(at + 2, end, name, length) &&
                    end - at > (ptrdiff_t)length + 2 &&
                    (is_space(at[length + 2]) || at[length + 2] == '/' || at[length + 2] == '>'))
                        return at;
        return end;
}

static const char *start_tag(const char *at, const char *end)
{
        static const char *const raw[] = {"script", "style"};
        const char *name = ++at;
        bool value = false, empty = false;
        while (at < end && !is_space(*at) && *at != '/' && *at != '>')
                at++;
        size_t length = (size_t)(at - name);
        for (; at < end && *at != '>'; at++) {
                empty = *at == '/';
                if (value && (*at == '"' || *at == '\'')) {
                        const char quote[] = {*at, 0};
                        at = behind(at + 1, end, quote);
                        if (at == end)
                                return end;
                        at--;
                        value = false;
                } else {
                        value = *at == '=' || (value && is_space(*at));
                }
        }
        if (at == end)
                return end;
        for (size_t i = 0; !empty && i < sizeof raw / sizeof *raw; i++)
                if (strlen(raw[i]) == length && begins(name, end, raw[i], length))
                        return end_tag_of(at + 1, end, raw[i]);
        return at + 1;
}

/* Called at a `<`: returns the end of the markup, or NULL if it is an ordinary character. */
static const char *markup(const char *at, const char *end)
{
        char next = at + 1 < end ? at[1] : 0;
        if (is_letter(next))
                return start_tag(at, end);
        if (begins(at, end, "<!--", 4))
                return behind(at + 4, end, "-->");
        return next == '/' || next == '!' || next == '?' ? behind(at + 2, end, ">") : NULL;
}

size_t html_text(char *to, size_t room, const char *from, size_t size)
{
        struct text text = {to, room, 0};
        const char *end = from + size;
        for (const char *at = from, *next; at < end && text.done < room; at = next) {
                next = *at == '<' ? markup(at, end) : *at == '&' ? reference(at, end, &text) : NULL;
                if (!next) {
                        html_put(&text, *at);
                        next = at + 1;
                }
        }
        return text.done;
}
