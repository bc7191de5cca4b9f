/* parser.c - a command line as a tree. */
#include "sh.h"

#define DEPTH 50 /* of nested commands: each uses some stack */

static bool failed;
static unsigned depth;

static struct node *parse_list(bool lines);
static struct node *parse_command(void);

static struct node *fail(const char *wanted)
{
        static const char *const names[] = {
                [TOKEN_END] = "the end",   [TOKEN_NEWLINE] = "the end of the line",
                [TOKEN_SEMICOLON] = "`;'", [TOKEN_BACKGROUND] = "`&'",
                [TOKEN_AND] = "`&&'",      [TOKEN_OR] = "`||'",
                [TOKEN_PIPE] = "`|'",      [TOKEN_OPEN] = "`('",
                [TOKEN_CLOSE] = "`)'",     [TOKEN_REDIRECT] = "a redirection",
        };
        if (failed || interrupted || lexer.token == TOKEN_WRONG)
                ; /* only the first error counts */
        else if (lexer.token == TOKEN_WORD)
                say_error("syntax: %s was expected, not `%.*s'", wanted, 60, lexer.word);
        else
                say_error("syntax: %s was expected, not %s", wanted, names[lexer.token]);
        failed = true;
        return NULL;
}

static struct node *node(enum node_kind kind, struct node *left, struct node *right)
{
        struct node *made = allocate(sizeof *made);
        made->kind = kind;
        made->left = left;
        made->right = right;
        return made;
}

static bool at_word(const char *word)
{
        return lexer.token == TOKEN_WORD && !strcmp(lexer.word, word);
}

static void expect(const char *word)
{
        char quoted[16];
        snprintf(quoted, sizeof quoted, "`%s'", word);
        if (!at_word(word))
                fail(quoted);
        else if (!failed)
                lexer_next();
}

/* A list up to the word `end`. */
static struct node *parse_until(const char *end)
{
        struct node *list = parse_list(true);
        expect(end);
        return list;
}

static struct node *parse_if(void)
{
        struct node *made = node(NODE_IF, parse_until("then"), NULL);
        made->right = parse_list(true);
        if (at_word("elif")) {
                lexer_next();
                made->otherwise = parse_if(); /* includes the fi */
                return made;
        }
        if (at_word("else")) {
                lexer_next();
                made->otherwise = parse_list(true);
        }
        expect("fi");
        return made;
}

static struct node *parse_loop(enum node_kind kind)
{
        struct node *condition = parse_until("do");
        return node(kind, condition, parse_until("done"));
}

static struct node *parse_while(void)
{
        return parse_loop(NODE_WHILE);
}

static struct node *parse_until_loop(void)
{
        return parse_loop(NODE_UNTIL);
}

static void add_word(struct word ***end)
{
        struct word *word = allocate(sizeof *word);
        word->text = lexer.word;
        **end = word;
        *end = &word->next;
        lexer_next();
}

static void skip_newlines(void)
{
        while (lexer.token == TOKEN_NEWLINE)
                lexer_next();
}

static struct node *parse_for(void)
{
        struct node *made = node(NODE_FOR, NULL, NULL);
        struct word **end = &made->words;
        if (lexer.token != TOKEN_WORD || !name_length(lexer.word) ||
            lexer.word[name_length(lexer.word)])
                return fail("a name");
        made->variable = lexer.word;
        lexer_next();
        skip_newlines();
        if (at_word("in")) {
                lexer_next();
                while (lexer.token == TOKEN_WORD)
                        add_word(&end);
        } else {
                static struct word arguments = {.text = "\"$@\""};
                made->words = &arguments;
        }
        if (lexer.token == TOKEN_SEMICOLON)
                lexer_next();
        skip_newlines();
        expect("do");
        made->right = parse_until("done");
        return made;
}

static struct node *parse_group(void)
{
        return node(NODE_GROUP, parse_until("}"), NULL);
}

static const struct {
        const char *word;
        struct node *(*parse)(void);
} compounds[] = {
        {"if", parse_if},   {"while", parse_while}, {"until", parse_until_loop},
        {"for", parse_for}, {"{", parse_group},
};

static bool ends_list(void)
{
        static const char *const words[] = {"then", "elif", "else", "fi", "do", "done", "}"};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
                if (at_word(words[i]))
                        return true;
        return lexer.token == TOKEN_CLOSE || lexer.token == TOKEN_END || lexer.token == TOKEN_WRONG;
}

static void parse_redirect(struct redirect ***end)
{
        struct redirect *made = allocate(sizeof *made);
        made->kind = lexer.redirection;
        made->descriptor = lexer.descriptor >= 0 ? lexer.descriptor : made->kind != REDIRECT_IN;
        lexer_next();
        if (lexer.token != TOKEN_WORD) {
                fail("a file");
                return;
        }
        made->target = lexer.word;
        **end = made;
        *end = &made->next;
        lexer_next();
}

static struct node *parse_compound(void)
{
        if (lexer.token == TOKEN_OPEN) {
                lexer_next();
                struct node *made = node(NODE_SUBSHELL, parse_list(true), NULL);
                if (lexer.token != TOKEN_CLOSE)
                        return fail("`)'");
                lexer_next();
                return made;
        }
        for (size_t i = 0; i < sizeof compounds / sizeof *compounds; i++) {
                if (at_word(compounds[i].word)) {
                        lexer_next();
                        return compounds[i].parse();
                }
        }
        return NULL;
}

static struct node *parse_command(void)
{
        struct node *made = parse_compound();
        if (failed)
                return NULL;
        bool compound = made;
        if (!made) {
                if (ends_list())
                        return fail("a command");
                made = node(NODE_SIMPLE, NULL, NULL);
        }
        struct word **end_word = &made->words;
        struct redirect **end_redirect = &made->redirects;
        for (;;) {
                if (lexer.token == TOKEN_REDIRECT)
                        parse_redirect(&end_redirect);
                else if (lexer.token == TOKEN_WORD && !compound)
                        add_word(&end_word);
                else
                        break;
                if (failed)
                        return NULL;
        }
        return compound || made->words || made->redirects ? made : fail("a command");
}

static struct node *parse_pipeline(void)
{
        if (at_word("!")) {
                lexer_next();
                return node(NODE_NOT, parse_pipeline(), NULL);
        }
        struct node *made = parse_command();
        if (failed || lexer.token != TOKEN_PIPE)
                return made;
        lexer_next();
        skip_newlines();
        return node(NODE_PIPE, made, parse_pipeline());
}

static struct node *parse_and_or(void)
{
        struct node *made = parse_pipeline();
        while (!failed && (lexer.token == TOKEN_AND || lexer.token == TOKEN_OR)) {
                enum node_kind kind = lexer.token == TOKEN_AND ? NODE_AND : NODE_OR;
                lexer_next();
                skip_newlines();
                made = node(kind, made, parse_pipeline());
        }
        return made;
}

/* Commands separated by ; & and, inside others, newlines. */
static struct node *parse_list(bool lines)
{
        struct node *list = NULL;
        if (++depth > DEPTH)
                return fail("a simpler command (this one is nested too deeply)");
        for (;;) {
                if (lines)
                        skip_newlines();
                if (failed || ends_list() || lexer.token == TOKEN_NEWLINE)
                        break;
                struct node *command = parse_and_or();
                if (failed)
                        break;
                if (lexer.token == TOKEN_BACKGROUND)
                        command = node(NODE_BACKGROUND, command, NULL);
                list = list ? node(NODE_THEN, list, command) : command;
                if (lexer.token == TOKEN_BACKGROUND || lexer.token == TOKEN_SEMICOLON)
                        lexer_next();
                else if (lexer.token != TOKEN_NEWLINE)
                        break;
        }
        depth--;
        return list || !lines ? list : fail("a command");
}

bool parse_line(struct node **tree, bool *wrong)
{
        failed = false;
        depth = 0;
        *tree = NULL;
        lexer_next();
        if (lexer.token == TOKEN_END)
                return false;
        struct node *list = parse_list(false);
        if (!failed && lexer.token != TOKEN_NEWLINE && lexer.token != TOKEN_END)
                fail("the end of the command");
        if (failed && lexer.token != TOKEN_NEWLINE && lexer.token != TOKEN_END)
                input_drop_line();
        *wrong = failed;
        *tree = failed ? NULL : list;
        return true;
}
