/* input.c - reads a command's characters: from a text, a file or the terminal. */
#include "sh.h"

static const char *text;
static int file = -1, again = INPUT_END;
static const char *prompt;
static bool at_line_start, ended;

void input_open_text(const char *start)
{
        text = start;
}

void input_open_file(int descriptor)
{
        file = descriptor;
}

void input_close(void)
{
        if (file > 2)
                close(file);
        file = -1;
}

void input_prompt(const char *next)
{
        prompt = next;
        at_line_start = true;
        again = INPUT_END;
        ended = false;
}

/* Reads one character at a time: input after the line belongs to the programs that it starts. */
static int read_character(void)
{
        static const char *typed = ""; /* rest of the line */
        char c;
        if (shell.interactive && at_line_start) {
                const char *line = edit_line(prompt);
                typed = line ? line : "";
                at_line_start = false;
                if (line && !*line)
                        return INPUT_END;
        }
        if (*typed)
                return (unsigned char)*typed++;
        long got = UNLESS_INTERRUPTED(read(file, &c, 1));
        if (interrupted)
                return INPUT_END;
        if (got < 0)
                say_error("input: %s", error_text(got));
        if (got <= 0)
                return INPUT_END;
        return (unsigned char)c;
}

int input_next(void)
{
        int c = again;
        again = INPUT_END;
        if (c != INPUT_END || ended)
                return c;
        if (text)
                c = *text ? (unsigned char)*text++ : INPUT_END;
        else
                c = read_character();
        at_line_start = c == '\n';
        if (at_line_start)
                prompt = "> ";
        ended = c == INPUT_END;
        return c;
}

void input_back(int c)
{
        again = c;
}

void input_drop_line(void)
{
        int c;
        do
                c = input_next();
        while (c != '\n' && c != INPUT_END);
}
