/* pack.c - the records of a run, packed for codes (tools/tollgate/records/packing.py).
 *
 * A record is words with gaps, followed by their contents. Its text is read twice: for the words,
 * then for the contents. */
#include "pack.h"
#include "lib/printf.h"
#include "lib/string.h"

#define DIGITS 18 /* digits at most for a 64-bit number */
#define DEEP 2    /* the record's own strings are gaps, a row's sections' are not */

/* One reading of a record. */
struct reading {
        struct pack *pack;
        bool values;       /* true in the second reading: writes the gaps' contents */
        uint64_t previous; /* last number; the next is stored as a difference */
        bool fits;
        size_t length; /* length of the word so far */
        char word[PACK_LINE];
        char string[PACK_STRING_MOST]; /* its last string, and its numbers */
        uint64_t numbers[PACK_STRING_MOST];
};

static void put_byte(struct pack *pack, bool *fits, uint8_t byte)
{
        *fits = *fits && pack->length < PACK_BYTES;
        if (*fits)
                pack->bytes[pack->length++] = byte;
}

/* Seven bits per byte, lowest first; the eighth means that another byte follows. */
static void put_count(struct pack *pack, bool *fits, uint64_t count)
{
        for (; count >= 0x80; count >>= 7)
                put_byte(pack, fits, (uint8_t)(count | 0x80));
        put_byte(pack, fits, (uint8_t)count);
}

static bool same(const char *a, size_t length, const char *b, size_t its)
{
        return length == its && !memcmp(a, b, length);
}

/* 1 and more: the word's number; 0: a new one, which is stored. */
static unsigned word_find(struct pack *pack, const char *word, size_t length)
{
        for (unsigned i = 0; i < pack_table_words; i++)
                if (same(word, length, pack_table[i], strlen(pack_table[i])))
                        return 1 + i;
        for (unsigned i = 0; i < pack->words; i++)
                if (same(word, length, pack->words_text + pack->word[i].start,
                         pack->word[i].length))
                        return 1 + pack_table_words + i;
        return 0;
}

static void put_word(struct pack *pack, bool *fits, const char *word, size_t length)
{
        unsigned known = word_find(pack, word, length);
        put_count(pack, fits, known);
        if (known)
                return;
        *fits = *fits && pack->words < PACK_WORDS && length <= PACK_TEXT - pack->text;
        if (!*fits)
                return;
        put_count(pack, fits, length);
        for (size_t i = 0; i < length; i++)
                put_byte(pack, fits, (uint8_t)word[i]);
        memcpy(pack->words_text + pack->text, word, length);
        pack->word[pack->words].start = (uint32_t)pack->text;
        pack->word[pack->words++].length = (uint32_t)length;
        pack->text += length;
}

/* A fixed part of the record's word. */
static void put_own(struct reading *reading, const char *text, size_t length)
{
        if (reading->values)
                return;
        reading->fits = reading->fits && length <= PACK_LINE - reading->length;
        if (!reading->fits)
                return;
        memcpy(reading->word + reading->length, text, length);
        reading->length += length;
}

/* Stores the difference to the previous number, with the sign in the lowest bit. */
static void put_number(struct reading *reading, uint64_t value, bool hundredths)
{
        uint64_t difference = value - (hundredths ? 100 * reading->previous : reading->previous);
        uint64_t sign = (uint64_t)((int64_t)difference >> 63);
        if (reading->values)
                put_count(reading->pack, &reading->fits, difference << 1 ^ sign);
        else
                put_own(reading, hundredths ? "\2" : "\1", 1);
        if (hundredths) { /* the next number refers to the whole part, towards 0 */
                bool below = (int64_t)value < 0;
                uint64_t whole = below ? -value : value;
                divide64(&whole, 100);
                value = below ? -whole : whole;
        }
        reading->previous = value;
}

static bool is_digit(char c)
{
        return c >= '0' && c <= '9';
}

/* The number in the `digits` digits at `text`; false = it could not be restored exactly. */
static bool number_of(const char *text, size_t digits, uint64_t *value)
{
        if (!digits || digits > DIGITS || (digits > 1 && *text == '0'))
                return false;
        for (*value = 0; digits; digits--)
                *value = *value * 10 + (uint64_t)(*text++ - '0');
        return true;
}

static size_t digits_at(const char *text, const char *end)
{
        size_t digits = 0;
        while (text + digits < end && is_digit(text[digits]))
                digits++;
        return digits;
}

/* A number in JSON: whole, or with two decimals. Any other stays part of the word. */
static const char *read_number(struct reading *reading, const char *text, const char *end)
{
        static const char of_numbers[] = "0123456789.eE+-";
        const char *after = text, *whole = text + (*text == '-');
        while (after < end && strchr(of_numbers, *after))
                after++;
        size_t digits = digits_at(whole, after), decimals = 0;
        uint64_t value = 0, part = 0;
        bool good = number_of(whole, digits, &value);
        if (good && whole + digits < after) {
                decimals = digits_at(whole + digits + 1, after);
                good = whole[digits] == '.' && decimals == 2 && digits + decimals <= DIGITS &&
                       whole + digits + 3 == after;
                if (good)
                        part = (uint64_t)((whole[digits + 1] - '0') * 10 + whole[digits + 2] - '0');
                value = value * 100 + part;
        }
        if (good && (value || *text != '-'))
                put_number(reading, *text == '-' ? -value : value, decimals != 0);
        else
                put_own(reading, text, (size_t)(after - text));
        return after;
}

/* Text between quotation marks. A sentence is a word with gaps for its numbers. */
static void put_string(struct reading *reading, const char *text, const char *end)
{
        char *word = reading->string;
        size_t length = 0;
        unsigned numbers = 0;
        bool sentence = false;
        for (const char *c = text; c < end; c++)
                sentence |= *c == ' ';
        reading->fits = reading->fits && (size_t)(end - text) <= PACK_STRING_MOST;
        if (!reading->fits || !reading->values)
                return;
        while (text < end) {
                size_t digits = sentence ? digits_at(text, end) : 0;
                if (digits && number_of(text, digits, &reading->numbers[numbers])) {
                        word[length++] = PACK_NUMBER;
                        numbers++;
                        text += digits;
                } else {
                        do
                                word[length++] = *text++;
                        while (digits && --digits);
                }
        }
        put_word(reading->pack, &reading->fits, word, length);
        for (unsigned i = 0; i < numbers; i++)
                put_number(reading, reading->numbers[i], false);
}

/* The text after the quotation mark that ends the string at `text`. */
static const char *string_end(const char *text, const char *end)
{
        for (text++; text < end; text++) {
                if (*text == '\\')
                        text++;
                else if (*text == '"')
                        return text + 1;
        }
        return NULL;
}

/* Skips `,"histogram":[...]`, which is most of a record and in no table of a report. */
static const char *past_histogram(const char *text, const char *end)
{
        static const char start[] = ",\"histogram\":[";
        if ((size_t)(end - text) < sizeof start || strncmp(text, start, sizeof start - 1))
                return text;
        int depth = 1;
        for (text += sizeof start - 1; text < end && depth; text++)
                depth += (*text == '[') - (*text == ']');
        return text;
}

static void read_record(struct reading *reading, const char *text, const char *end)
{
        int depth = 0;
        for (const char *start = text; text < end && reading->fits;) {
                if (*text == ',' && depth == 1) {
                        const char *after = past_histogram(text, end);
                        if (after != text) {
                                text = after;
                                continue;
                        }
                }
                if (*text == '"') {
                        const char *after = string_end(text, end);
                        reading->fits = after != NULL;
                        if (!after)
                                return;
                        bool value = depth <= DEEP && text > start && text[-1] == ':';
                        put_own(reading, value ? "\"\3\"" : text,
                                value ? 3 : (size_t)(after - text));
                        if (value)
                                put_string(reading, text + 1, after - 1);
                        text = after;
                } else if (*text == '-' || is_digit(*text)) {
                        text = read_number(reading, text, end);
                } else {
                        depth += (*text == '{' || *text == '[') - (*text == '}' || *text == ']');
                        put_own(reading, text++, 1);
                }
        }
        reading->fits = reading->fits && !depth;
}

/* In a list of lists each inner list is a word. */
static void put_words(struct reading *reading)
{
        const char *word = reading->word, *end = word + reading->length, *start = word;
        for (const char *c = word + 2; c < end; c++)
                if ((*c == '[' && (c[-1] == '[' || (c[-1] == ',' && c[-2] == ']'))) ||
                    (*c == ']' && c[-1] == ']')) {
                        put_word(reading->pack, &reading->fits, start, (size_t)(c - start));
                        start = c;
                }
        put_word(reading->pack, &reading->fits, start, (size_t)(end - start));
}

bool pack_record(struct pack *pack, const char *json, size_t length)
{
        static struct reading reading;
        reading.pack = pack;
        reading.values = false;
        reading.fits = true;
        reading.length = 0;
        for (size_t i = 0; i < length; i++)
                if (json[i] < ' ' || json[i] > '~')
                        return false;
        read_record(&reading, json, json + length);
        put_words(&reading);
        reading.values = true;
        reading.previous = 0;
        if (reading.fits)
                read_record(&reading, json, json + length);
        return reading.fits && length && *json == '{';
}

static const char row[] = "{\"v\":1,\"type\":\"result\",\"suite\":\"toll\",";

bool pack_is_row(const char *json)
{
        return !strncmp(json, row, sizeof row - 1);
}

bool pack_is_toll(const char *json)
{
        static const char *const others[] = {"{\"v\":1,\"type\":\"run\",",
                                             "{\"v\":1,\"type\":\"end\",",
                                             "{\"v\":1,\"type\":\"result\",\"suite\":\"control\",",
                                             "{\"v\":1,\"type\":\"skip\",\"suite\":\"toll\",",
                                             "{\"v\":1,\"type\":\"noisy\",\"suite\":\"toll\",",
                                             "{\"v\":1,\"type\":\"noisy\",\"suite\":\"control\",",
                                             "{\"v\":1,\"type\":\"noisy\",\"suite\":\"clock\",",
                                             "{\"v\":1,\"type\":\"check\",\"name\":\"control/"};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
                if (!strncmp(json, others[i], strlen(others[i])))
                        return true;
        return pack_is_row(json);
}
