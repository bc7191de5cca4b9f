/* redirect.c - redirects descriptors during a command. The old ones are kept at descriptors from
 * KEPT up, and restored in reverse order. */
#include "sh.h"

enum { KEPT = 20, KEPT_MAX = 32 };

static struct {
        int descriptor;
        bool open; /* it was open, and is kept at KEPT + its index */
} kept[KEPT_MAX];
unsigned redirects;

static bool keep(int descriptor)
{
        if (redirects == KEPT_MAX) {
                say_error("redirections are nested too deeply");
                return false;
        }
        kept[redirects].descriptor = descriptor;
        kept[redirects].open = dup3(descriptor, KEPT + (int)redirects, O_CLOEXEC) >= 0;
        redirects++;
        return true;
}

static long target(const struct redirect *one, const char *path)
{
        static const int flags[] = {[REDIRECT_IN] = O_RDONLY,
                                    [REDIRECT_OUT] = O_WRONLY | O_CREAT | O_TRUNC,
                                    [REDIRECT_APPEND] = O_WRONLY | O_CREAT | O_APPEND};
        if (one->kind == REDIRECT_COPY)
                return decimal(path);
        return open(path, flags[one->kind], 0644);
}

bool redirect(const struct redirect *list)
{
        for (; list; list = list->next) {
                const char *path = expand_text(list->target);
                if (!path || !keep(list->descriptor))
                        return false;
                long from = target(list, path);
                long error = from < 0 ? from : dup2((int)from, list->descriptor);
                if (from >= 0 && from != list->descriptor && list->kind != REDIRECT_COPY)
                        close((int)from);
                if (error < 0) {
                        say_error("%s: %s", path, error_text(error));
                        return false;
                }
        }
        return true;
}

void redirect_undo(unsigned mark)
{
        while (redirects > mark) {
                redirects--;
                if (kept[redirects].open) {
                        dup2(KEPT + (int)redirects, kept[redirects].descriptor);
                        close(KEPT + (int)redirects);
                } else {
                        close(kept[redirects].descriptor);
                }
        }
}

void redirect_keep(unsigned mark)
{
        while (redirects > mark)
                close(KEPT + (int)--redirects);
}
