/* parser.c - a command line as a tree. */
#include "sh.h"

#define DEPTH 50 /* depth of nested commands: each uses some stack */

static bool failed;
static unsigned depth;

static struct node *parse_list(bool lines);

static struct node *fail(const char *wanted)
{
        static const char *const names[] = {
                [TOKEN_END] = "the end",   [TOKEN_NEWLINE] = "the end of the line",
                [TOKEN_SEMICOLON] = "`;'", [TOKEN_BACKGROUND] = "`&'",
                [TOKEN_AND] = "`&&'",      [TOKEN_OR] = "`||'",
                [TOKEN_PIPE] = "`|'",      [TOKEN_OPEN] = "`('",
                [TOKEN_CLOSE] = "`)'",     [TOKEN_REDIRECT] = "a redirection"};
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

static bool ends_list(void)
{
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

static struct node *parse_subshell(void)
{
        lexer_next();
        struct node *made = node(NODE_SUBSHELL, parse_list(true), NULL);
        if (lexer.token != TOKEN_CLOSE)
                return fail("`)'");
        lexer_next();
        return made;
}

static struct node *parse_command(void)
{
        bool compound = lexer.token == TOKEN_OPEN;
        if (ends_list())
                return fail("a command");
        struct node *made = compound ? parse_subshell() : node(NODE_SIMPLE, NULL, NULL);
        if (failed)
                return NULL;
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
        if (lexer.token == TOKEN_WORD && !strcmp(lexer.word, "!")) {
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
