/*
 * sh.h - the shell: characters (edit.c, input.c) become words and operators (lexer.c), those a tree
 * (parser.c), its words texts (expand.c), and the tree processes (run.c, job.c).
 *
 * It is a subset of POSIX's: quotes, $NAME $1 $? $$ $! $# $@, pipelines, redirections, ; & && || !,
 * ( ), { }, if, while, until, for.
 */
#ifndef TOLLGATE_USER_CONSOLE_SH_SH_H
#define TOLLGATE_USER_CONSOLE_SH_SH_H

#include "console.h"

enum {
        STATUS_MISUSE = 2,
        STATUS_NOT_EXECUTABLE = 126,
        STATUS_NOT_FOUND = 127,
        STATUS_SIGNAL = 128
};

extern struct shell {
        bool interactive;
        int status;       /* $? */
        long pid;         /* $$ */
        long background;  /* $!, 0 = none yet */
        const char *name; /* $0 */
        char **arguments; /* $1 and on, up to NULL */
        int previous;     /* $? as the command at hand found it */
} shell;

extern volatile bool interrupted; /* ^C since the last command line */

/* memory.c: from a pool that only grows until it is cut back. */
void *allocate(size_t size);
char *text_copy(const char *text, size_t length);
size_t memory_mark(void);
void memory_release(size_t mark);

/* input.c */
#define INPUT_END -1
void input_open_text(const char *text);
void input_open_file(int descriptor); /* on a terminal: with a prompt */
void input_close(void);               /* in a child */
int input_next(void);                 /* a character, or INPUT_END */
void input_back(int c);               /* returns the last one once more */
void input_prompt(const char *prompt);
void input_drop_line(void);

/* edit.c: a line with its newline; "" = no more come, or ^C; NULL = no terminal. */
const char *edit_line(const char *prompt);

/* match.c: names, sorted, of files that a path with these two in its last part stands for. */
#define MATCH_ALL '\1' /* an unquoted * */
#define MATCH_ONE '\2' /* an unquoted ? */
unsigned match_names(const char *pattern, char **to, unsigned most);

/* lexer.c: the token at hand. A word keeps its quotes: expand.c takes them off. */
enum token {
        TOKEN_END,
        TOKEN_NEWLINE,
        TOKEN_WORD,
        TOKEN_SEMICOLON,
        TOKEN_BACKGROUND,
        TOKEN_AND,
        TOKEN_OR,
        TOKEN_PIPE,
        TOKEN_OPEN,
        TOKEN_CLOSE,
        TOKEN_REDIRECT,
        TOKEN_WRONG /* it said why */
};

enum redirection {
        REDIRECT_IN,
        REDIRECT_OUT,
        REDIRECT_APPEND,
        REDIRECT_COPY
};

struct lexer {
        enum token token;
        char *word;                   /* TOKEN_WORD */
        enum redirection redirection; /* TOKEN_REDIRECT */
        int descriptor;               /* TOKEN_REDIRECT: 2 of 2>, -1 = not said */
};
extern struct lexer lexer;
void lexer_next(void);

/* parser.c */
enum node_kind {
        NODE_SIMPLE,
        NODE_PIPE,
        NODE_AND,
        NODE_OR,
        NODE_THEN,       /* left, then right */
        NODE_BACKGROUND, /* left & */
        NODE_NOT,
        NODE_SUBSHELL,
        NODE_GROUP,
        NODE_IF,    /* if left then right else otherwise */
        NODE_WHILE, /* while left do right */
        NODE_UNTIL,
        NODE_FOR /* for variable in words do right */
};

struct word {
        char *text;
        struct word *next;
};

struct redirect {
        enum redirection kind;
        int descriptor;
        char *target;
        struct redirect *next;
};

struct node {
        enum node_kind kind;
        struct node *left, *right, *otherwise;
        struct word *words;
        char *variable;
        struct redirect *redirects;
};

/* Reads one command line, or what it takes to complete it. False = the end of the input. *node is
 * NULL if the line is empty, or wrong (then *wrong is set, and it said why). */
bool parse_line(struct node **node, bool *wrong);

/* variable.c */
const char *variable_get(const char *name, size_t length); /* NULL = unset */
bool variable_set(const char *name, size_t length, const char *value);
void variable_export(const char *name, size_t length);
void variable_unset(const char *name, size_t length);
char **variable_environment(void); /* for execve */
void variable_import(char **envp);
void variable_list(void);             /* to descriptor 1 */
size_t name_length(const char *text); /* of the variable's name it begins with, or 0 */

/* expand.c */
/* NULL = too many or too long: it said so. */
char *expand_text(const char *word);           /* to one text: no fields */
char **expand_words(const struct word *words); /* to a NULL-terminated list */

/* run.c */
void run(const struct node *node); /* leaves shell.status */

/* redirect.c */
bool redirect(const struct redirect *list); /* false = it said why */
unsigned redirect_mark(void);
void redirect_undo(unsigned mark); /* what was redirected since */
void redirect_keep(unsigned mark); /* the same for good */

/* program.c: the process becomes the program, or says why not: the status for that. */
int run_program(char **arguments);

/* main.c */
_Noreturn void shell_script(int file, const char *name, char **arguments);

/* job.c */
struct job {
        long group; /* of its processes: the first one's pid, if the shell is interactive */
        bool background;
        bool incomplete; /* not all of it could be started */
};
void job_control(void); /* the shell takes the terminal, and leaves its signals alone */
/* As fork(). The child has its group, the terminal if it is in front, and default signals. */
long job_fork(struct job *job);
/* Waits for all of them; shell.status is the last one's. */
void job_wait(const long *pids, unsigned count, const char *name);

/* `call`, or -EINTR if ^C has come since the command line began, or comes before its end: it is
 * not lost in the moment before the call, either. */
#define UNLESS_INTERRUPTED(call)                                                                   \
        ({                                                                                         \
                volatile long result_ = -EINTR;                                                    \
                if (!__builtin_setjmp(interrupt_leads_to)) {                                       \
                        interrupt_leads = true;                                                    \
                        if (!interrupted)                                                          \
                                result_ = (call);                                                  \
                }                                                                                  \
                interrupt_leads = false;                                                           \
                result_;                                                                           \
        })
extern volatile bool interrupt_leads;
extern void *interrupt_leads_to[5];

int job_status(int waited); /* of wait4's: a shell's $? */
void job_reap(void);        /* background jobs that have ended */

/* builtin.c: run in the shell itself. */
struct builtin {
        const char *name;
        int (*run)(char **arguments); /* its status */
        bool keeps_redirections;      /* they stay when it has run */
};
const struct builtin *builtin_find(const char *name);

void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
