/* lexer.c - splits input into words and operators. */
#include "sh.h"

struct lexer lexer;

static const struct {
        char text[3];
        enum token token;
        enum redirection redirection;
} operators[] = {{"&&", TOKEN_AND, 0},
                 {"||", TOKEN_OR, 0},
                 {">>", TOKEN_REDIRECT, REDIRECT_APPEND},
                 {">&", TOKEN_REDIRECT, REDIRECT_COPY},
                 {"<&", TOKEN_REDIRECT, REDIRECT_COPY},
                 {">", TOKEN_REDIRECT, REDIRECT_OUT},
                 {"<", TOKEN_REDIRECT, REDIRECT_IN},
                 {"&", TOKEN_BACKGROUND, 0},
                 {"|", TOKEN_PIPE, 0},
                 {";", TOKEN_SEMICOLON, 0},
                 {"(", TOKEN_OPEN, 0},
                 {")", TOKEN_CLOSE, 0},
                 {"\n", TOKEN_NEWLINE, 0}};

static bool is_operator(int c)
{
        return c > 0 && strchr("&|;<>()\n", c);
}

/* The longest operator that begins with `c`. */
static void read_operator(int c)
{
        int second = c == '\n' ? INPUT_END : input_next();
        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
                const char *text = operators[i].text;
                if (text[0] != c || (text[1] && text[1] != second))
                        continue;
                if (!text[1] && c != '\n')
                        input_back(second);
                lexer.token = operators[i].token;
                lexer.redirection = operators[i].redirection;
                return;
        }
}

#define WORD_MAX 4096

static char word[WORD_MAX];
static size_t length;

static void keep(int c)
{
        if (length < WORD_MAX - 1)
                word[length++] = (char)c;
}

/* Text up to and including the second quote. False = the input ended first. */
static bool read_quoted(int quote)
{
        int c;
        while ((c = input_next()) != quote) {
                if (c == INPUT_END)
                        return false;
                keep(c);
                if (c == '\\' && quote == '"') {
                        c = input_next();
                        if (c == INPUT_END)
                                return false;
                        keep(c);
                }
        }
        keep(c);
        return true;
}

static void read_word(int c)
{
        bool whole = true;
        lexer.token = TOKEN_WORD;
        for (length = 0; whole && c != INPUT_END && c != ' ' && c != '\t' && !is_operator(c);
             c = input_next()) {
                int following = c == '\\' ? input_next() : 0;
                if (following == '\n') /* a line that continues on the next */
                        continue;
                keep(c);
                if (following > 0)
                        keep(following);
                else if (c == '\'' || c == '"')
                        whole = read_quoted(c);
        }
        if (!whole) {
                if (!interrupted)
                        say_error("syntax: a quote without its end");
                lexer.token = TOKEN_WRONG;
        }
        if (lexer.token == TOKEN_WORD && length == 1 && word[0] >= '0' && word[0] <= '9' &&
            (c == '<' || c == '>')) {
                read_operator(c);
                lexer.descriptor = word[0] - '0';
                return;
        }
        input_back(c);
        if (length == WORD_MAX - 1) {
                say_error("a word is longer than %d characters", WORD_MAX - 2);
                lexer.token = TOKEN_WRONG;
        }
        lexer.word = text_copy(word, length);
}

void lexer_next(void)
{
        int c;
        do
                c = input_next();
        while (c == ' ' || c == '\t');
        while (c == '#' || c == '\\') {
                if (c == '#') {
                        while (c != '\n' && c != INPUT_END)
                                c = input_next();
                        break;
                }
                int following = input_next();
                if (following != '\n') {
                        input_back(following);
                        break;
                }
                do
                        c = input_next();
                while (c == ' ' || c == '\t');
        }
        lexer.descriptor = -1;
        if (c == INPUT_END)
                lexer.token = TOKEN_END;
        else if (is_operator(c))
                read_operator(c);
        else
                read_word(c);
}
