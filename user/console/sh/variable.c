/* variable.c - variables, as an array of "-NAME=value" texts; "+" for "-" means exported. */
#include "sh.h"

#define SPACE 16384

static char space[SPACE];
static size_t used;

size_t name_length(const char *text)
{
        size_t length = 0;
        for (;; length++) {
                char c = text[length];
                bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
                if (!letter && !(length && c >= '0' && c <= '9'))
                        return length;
        }
}

static char *find(const char *name, size_t length)
{
        for (char *at = space; at < space + used; at += strlen(at) + 1)
                if (!strncmp(at + 1, name, length) && at[1 + length] == '=')
                        return at;
        return NULL;
}

const char *variable_get(const char *name, size_t length)
{
        char *at = find(name, length);
        return at ? at + 1 + length + 1 : NULL;
}

void variable_unset(const char *name, size_t length)
{
        char *at = find(name, length);
        if (!at)
                return;
        size_t size = strlen(at) + 1;
        memmove(at, at + size, (size_t)(space + used - at) - size);
        used -= size;
}

bool variable_set(const char *name, size_t length, const char *value)
{
        size_t size = 1 + length + 1 + strlen(value) + 1;
        const char *old = find(name, length);
        char kind = old ? *old : '-';
        size_t freed = old ? strlen(old) + 1 : 0;
        if (size > SPACE - used + freed) {
                say_error("%.*s: the variables take more than %d bytes", (int)length, name, SPACE);
                return false;
        }
        /* The new value may be part of the old text: write it first, then free the old one. */
        char *text = text_copy(value, strlen(value));
        variable_unset(name, length);
        char *at = space + used;
        *at = kind;
        memcpy(at + 1, name, length);
        at[1 + length] = '=';
        memcpy(at + length + 2, text, strlen(text) + 1);
        used += size;
        return true;
}

void variable_export(const char *name, size_t length)
{
        if (!find(name, length))
                variable_set(name, length, "");
        char *at = find(name, length);
        if (at)
                *at = '+';
}

char **variable_environment(void)
{
        size_t count = 0;
        for (char *at = space; at < space + used; at += strlen(at) + 1)
                count++;
        char **list = allocate((count + 1) * sizeof *list), **next = list;
        for (char *at = space; at < space + used; at += strlen(at) + 1)
                if (*at == '+')
                        *next++ = at + 1;
        return list;
}

void variable_import(char **envp)
{
        for (; *envp; envp++) {
                size_t length = name_length(*envp);
                if (!length || (*envp)[length] != '=')
                        continue;
                if (variable_set(*envp, length, *envp + length + 1))
                        variable_export(*envp, length);
        }
}

void variable_list(void)
{
        for (char *at = space; at < space + used; at += strlen(at) + 1) {
                put_text(1, at + 1);
                put(1, "\n", 1);
        }
}
