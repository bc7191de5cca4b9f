/* sh.h - the shell: turns characters (edit.c, input.c) into words and operators (lexer.c), a tree
 * (parser.c), texts (expand.c), and processes (run.c, job.c).
 *
 * It is a subset of POSIX's: quotes, $NAME $1 $? $$ $! $# $@, pipelines, redirections, ; & && || !,
 * and ( ). */
#pragma once
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
        char **arguments; /* $1 and following, then NULL */
        int previous;     /* $? at the start of the current command */
} shell;

extern volatile bool interrupted; /* ^C since the last command line */

/* memory.c: allocates from a pool that grows until it is cut back. */
void *allocate(size_t size);
char *text_copy(const char *text, size_t length);
extern size_t memory_used;
void memory_release(size_t mark);

/* input.c */
#define INPUT_END -1
void input_open_text(const char *text);
void input_open_file(int descriptor); /* a terminal's input has a prompt */
void input_close(void);               /* for a child */
int input_next(void);                 /* a character, or INPUT_END */
void input_back(int c);               /* pushes the last one back */
void input_prompt(const char *prompt);
void input_drop_line(void);

/* edit.c: a line with its newline; "" = end of input, or ^C; NULL = no terminal. */
const char *edit_line(const char *prompt);

/* match.c: sorted names of files that match a path with these two in its last part. */
#define MATCH_ALL '\1' /* an unquoted * */
#define MATCH_ONE '\2' /* an unquoted ? */
unsigned match_names(const char *pattern, char **to, unsigned most);

/* lexer.c: the current token. A word keeps its quotes until expand.c removes them. */
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
        TOKEN_WRONG /* with a message */
};

enum redirection { REDIRECT_IN, REDIRECT_OUT, REDIRECT_APPEND, REDIRECT_COPY };

struct lexer {
        enum token token;
        char *word;                   /* TOKEN_WORD */
        enum redirection redirection; /* TOKEN_REDIRECT */
        int descriptor;               /* TOKEN_REDIRECT: 2 of 2>, -1 = default */
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
        NODE_SUBSHELL
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
        struct node *left, *right;
        struct word *words;
        struct redirect *redirects;
};

/* Reads a command line, with continuation lines if it is incomplete. False = end of input. *node is
 * NULL if the line is empty, or wrong (then *wrong is set, with a message). */
bool parse_line(struct node **node, bool *wrong);

/* variable.c */
const char *variable_get(const char *name, size_t length); /* NULL = unset */
bool variable_set(const char *name, size_t length, const char *value);
void variable_export(const char *name, size_t length);
void variable_unset(const char *name, size_t length);
char **variable_environment(void); /* for execve */
void variable_import(char **envp);
void variable_list(void);             /* prints to descriptor 1 */
size_t name_length(const char *text); /* length of the variable name at its start, or 0 */

/* expand.c */
/* NULL = too many or too long, with a message. */
char *expand_text(const char *word);           /* as one text, without fields */
char **expand_words(const struct word *words); /* as a NULL-terminated list */

/* run.c */
void run(const struct node *node); /* leaves shell.status */

/* redirect.c */
bool redirect(const struct redirect *list); /* false = failed, with a message */
extern unsigned redirects;
void redirect_undo(unsigned mark); /* undoes redirections since `mark` */
void redirect_keep(unsigned mark); /* makes them permanent */

/* program.c: runs the program in this process; on failure prints why and returns a status. */
int run_program(char **arguments);

/* main.c */
_Noreturn void shell_script(int file, const char *name, char **arguments);

/* job.c */
struct job {
        long group; /* process group, if the shell is interactive: its first pid */
        bool background;
        bool incomplete; /* part of it could not be started */
};
void job_control(void); /* the shell takes the terminal, and ignores its signals */
/* Like fork(). The child gets its group, the terminal if in the foreground, and default signals. */
long job_fork(struct job *job);
/* Waits for all processes; shell.status is the last one's status. */
void job_wait(const long *pids, unsigned count, const char *name);

/* `call`, or -EINTR if ^C was pressed since the command line began, or during the call. A ^C just
 * before the call is not lost either. */
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

int job_status(int waited); /* converts wait4's status to $? */
void job_reap(void);        /* reaps background jobs that ended */

/* builtin.c: commands in the shell itself. */
struct builtin {
        const char *name;
        int (*run)(char **arguments); /* its status */
        bool keeps_redirections;      /* its redirections are permanent */
};
const struct builtin *builtin_find(const char *name);

void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
