/* run.c - executes the tree: one function for each kind of node. */
#include "sh.h"

#define STAGES 32 /* stages of a pipeline */

_Noreturn static void leave(void)
{
        exit_group(shell.status);
        __builtin_unreachable();
}

static size_t assignment_length(const char *word)
{
        size_t length = name_length(word);
        return length && word[length] == '=' ? length : 0;
}

/* Executes the assignments before a command; returns the words after them. */
static const struct word *assign(const struct word *words, bool exported)
{
        for (; words && assignment_length(words->text); words = words->next) {
                size_t length = assignment_length(words->text);
                const char *value = expand_text(words->text + length + 1);
                if (value && variable_set(words->text, length, value) && exported)
                        variable_export(words->text, length);
        }
        return words;
}

/* In a child it does not return: the child becomes the program, or ends. */
static void run_simple_in(const struct node *node, bool in_child)
{
        const struct word *words = node->words;
        while (words && assignment_length(words->text))
                words = words->next;
        char **arguments = expand_words(words);
        shell.previous = shell.status;
        shell.status = 0;
        if (!arguments) {
                shell.status = STATUS_MISUSE;
                return;
        }
        const struct builtin *builtin = *arguments ? builtin_find(*arguments) : NULL;
        if (*arguments && !builtin && !in_child) {
                struct job job = {0};
                long pid = job_fork(&job);
                if (pid > 0)
                        job_wait(&pid, 1, *arguments);
                else if (pid < 0)
                        shell.status = STATUS_NOT_EXECUTABLE;
                if (pid)
                        return;
                in_child = true;
        }
        bool becomes = builtin && builtin->keeps_redirections && arguments[1]; /* exec PROGRAM */
        assign(node->words, *arguments && (!builtin || becomes));
        unsigned mark = redirects;
        if (!redirect(node->redirects))
                shell.status = 1;
        else if (builtin)
                shell.status = builtin->run(arguments);
        else if (*arguments)
                shell.status = run_program(arguments);
        if (in_child)
                leave();
        if (builtin && builtin->keeps_redirections && !shell.status)
                redirect_keep(mark);
        else
                redirect_undo(mark);
}

static void run_simple(const struct node *node)
{
        run_simple_in(node, false);
}

/* Called in a child: runs the command, then ends. */
_Noreturn static void run_child(const struct node *node)
{
        if (node->kind == NODE_SIMPLE)
                run_simple_in(node, true);
        else
                run(node);
        leave();
}

static const char *name_of(const struct node *node)
{
        while (node->kind == NODE_PIPE)
                node = node->right;
        return node->kind == NODE_SIMPLE && node->words ? node->words->text : "a command";
}

/* Starts the stages of a pipeline, or the single command `node`. Returns their number. */
static unsigned start(const struct node *node, struct job *job, long *pids)
{
        unsigned count = 0;
        int from = 0;
        for (;; node = node->right) {
                bool last = node->kind != NODE_PIPE;
                int ends[2];
                long error = count == STAGES ? -E2BIG : last ? 0 : pipe(ends);
                long pid = error < 0 ? error : job_fork(job);
                if (pid == 0) {
                        if (from) {
                                dup2(from, 0);
                                close(from);
                        }
                        if (!last) {
                                dup2(ends[1], 1);
                                close(ends[0]);
                                close(ends[1]);
                        }
                        run_child(last ? node : node->left);
                }
                if (error < 0)
                        say_error("a pipeline: %s", error_text(error));
                if (from)
                        close(from);
                if (pid > 0)
                        pids[count++] = pid;
                if (!last && error >= 0)
                        close(ends[1]);
                if (!last && pid < 0 && error >= 0)
                        close(ends[0]);
                job->incomplete |= pid < 0;
                if (last || pid < 0)
                        return count;
                from = ends[0];
        }
}

static void run_pipe(const struct node *node)
{
        struct job job = {0};
        long pids[STAGES];
        unsigned count = start(node, &job, pids);
        job_wait(pids, count, name_of(node));
        if (job.incomplete)
                shell.status = STATUS_NOT_EXECUTABLE;
}

static void run_subshell(const struct node *node)
{
        struct job job = {0};
        long pid = job_fork(&job);
        if (pid == 0) {
                if (redirect(node->redirects))
                        run(node->left);
                else
                        shell.status = 1;
                leave();
        }
        job_wait(&pid, pid > 0, "( )");
        if (pid < 0)
                shell.status = STATUS_NOT_EXECUTABLE;
}

static void run_background(const struct node *node)
{
        struct job job = {.background = true};
        long pids[STAGES];
        unsigned count = start(node->left, &job, pids);
        shell.status = job.incomplete ? STATUS_NOT_EXECUTABLE : 0;
        if (count)
                shell.background = pids[count - 1];
        if (count && shell.interactive)
                put_format(2, "[%ld]\n", shell.background);
}

static void run_then(const struct node *node)
{
        run(node->left);
        run(node->right);
}

static void run_and(const struct node *node)
{
        run(node->left);
        if (!shell.status)
                run(node->right);
}

static void run_or(const struct node *node)
{
        run(node->left);
        if (shell.status)
                run(node->right);
}

static void run_not(const struct node *node)
{
        run(node->left);
        shell.status = !shell.status;
}

static void (*const kinds[])(const struct node *node) = {
        [NODE_SIMPLE] = run_simple, [NODE_PIPE] = run_pipe,
        [NODE_AND] = run_and,       [NODE_OR] = run_or,
        [NODE_THEN] = run_then,     [NODE_BACKGROUND] = run_background,
        [NODE_NOT] = run_not,       [NODE_SUBSHELL] = run_subshell};

void run(const struct node *node)
{
        size_t memory = memory_used;
        if (interrupted) {
                shell.status = STATUS_SIGNAL + SIGINT;
                return;
        }
        kinds[node->kind](node);
        memory_release(memory);
}
