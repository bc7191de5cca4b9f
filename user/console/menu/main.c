/* main.c - the display after a run without then=stop: the results page, with the toll's codes
 * beside it if there is room. Until a key is pressed it alternates with the codes of all records
 * and the detail pages. Then a person chooses what to do next. Started by the kernel
 * (kernel/suites.c); it does not end by itself. */
#include "menu.h"
#include "../codes/status.h"
#include "suites_default.h" /* tools/tollgate/suite_lists.py */

#define TURN 10000 /* milliseconds per page until a key is pressed */

static const char *verdict;
bool heard;
static unsigned pages, page;

static void look_again(void)
{
        page = 0;
}

static void power(unsigned command)
{
        page_wipe();
        toll_call(NUMBER_reboot, REBOOT_MAGIC1, REBOOT_MAGIC2, command);
}

static void reboot(void)
{
        power(REBOOT_RESTART);
}

static void power_off(void)
{
        power(REBOOT_POWER_OFF);
}

/* Runs a program to its end. Returns its status, or -1. */
static int run_beside(const char *path, char *word)
{
        static char *const environment[] = {"PATH=/bin", "HOME=/", NULL};
        char *const arguments[] = {(char *)path, word, NULL};
        int status;
        long pid = fork();
        if (!pid) {
                signals_as_at_login();
                complain("menu", path, execve(path, arguments, environment));
                exit_group(127);
        }
        while (pid > 0 && wait4(pid, &status, 0, NULL) == -EINTR)
                ;
        return pid > 0 && !(status & 0x7f) ? status >> 8 & 0xff : -1;
}

/* The same on the console, in a session of its own. */
static int run(const char *path, char *word)
{
        int group = (int)getpid();
        keys_close();
        page_wipe();
        int status = run_beside(path, word);
        ioctl(0, TIOCSCTTY, (void *)1); /* a shell took it */
        ioctl(0, TIOCSPGRP, &group);
        keys_open();
        return status;
}

/* The toll's codes beside the results page, on a screen of pixels that is wide enough. */
#define BESIDE 80       /* columns of the page */
#define TOLL_SECONDS 10 /* time for the codes on the whole screen */
#define WORD_(name, value) name #value
#define WORD(name, value) WORD_(name, value)
static enum {
        UNTRIED,
        NONE, /* there is no room for them */
        HIDDEN,
        SHOWN
} beside;

static void beside_show(void)
{
        if (beside == UNTRIED || beside == HIDDEN)
                beside = run_beside("/bin/codes", WORD("beside=", BESIDE)) ? NONE : SHOWN;
}

/* Call before drawing: code that draws characters does not erase the codes. */
static void beside_hide(void)
{
        if (beside != SHOWN)
                return;
        beside = HIDDEN;
        run_beside("/bin/codes", WORD("blank=", BESIDE));
}

/* A failure message stays until a key is pressed, or for this long. */
static bool stay(int milliseconds)
{
        page_last(heard ? " press a key" : "");
        return key_wait(milliseconds) != KEY_NONE;
}

static void shell(void)
{
        if (run("/bin/init", NULL))
                stay(-1);
}

static void codes(void)
{
        if (run("/bin/codes", NULL))
                stay(-1);
}

/* Repeats the records for the reader of a noisy serial line: it combines both copies. */
static void send_again(void)
{
        long file = open("/dev/records", O_WRONLY, 0);
        page_wipe();
        if (file >= 0) {
                write((int)file, "", 1);
                close((int)file);
        }
        print("tollgate: %s\n", verdict);
}

/* The key that was pressed, from codes' status, or KEY_NONE. */
static int key_of(int status)
{
        return status > ' ' && status < CODES_KEYS ? status
               : status == CODES_PRESSED           ? KEY_OTHER
                                                   : KEY_NONE;
}

/* After everything else, and if there is no keyboard, shows the codes automatically, one at a time;
 * a code that does not fit on this screen is tried once. Returns the key pressed, or KEY_NONE;
 * `round` = this round has no more. */
static int codes_come(bool *round)
{
        static bool none;
        static unsigned turn;
        char word[24];
        *round = none;
        if (none)
                return KEY_NONE;
        snprintf(word, sizeof word, "alone=%u", ++turn);
        beside_hide();
        int status = run("/bin/codes", word);
        int key = key_of(status);
        none = status && status != CODES_LAST && key == KEY_NONE;
        *round = none || status == CODES_LAST;
        return none && stay(TURN) ? KEY_OTHER : key;
}

/* Actions by key; `word` is shown on every page, unless only a reader of the serial line needs
 * it. */
static const struct action {
        char key;
        const char *word;
        void (*act)(void);
} actions[] = {{'l', "again", look_again},
               {'p', "printed", said_look},
               {'s', "shell", shell},
               {'c', "codes", codes},
               {'b', "reboot", reboot},
               {'o', "off", power_off},
               {'x', "send records again", send_again}};
#define ACTIONS (sizeof actions / sizeof *actions)

static void draw_keys(bool on_line)
{
        char text[160];
        size_t length = 0;
        for (size_t i = 0; i < ACTIONS - !on_line; i++)
                length += (size_t)snprintf(text + length, sizeof text - length, "  %c %s",
                                           actions[i].key, actions[i].word);
        if (on_line)
                print("What next? Keys, here%s:%s\n", heard ? " or at the keyboard" : "", text);
        else if (!heard)
                page_last(" %u/%u  No keyboard answers here. Pages and codes come by themselves.",
                          page + 1, pages);
        else
                page_last(" %u/%u PgUp PgDn%s", page + 1, pages, text);
}

static void draw_answer(void)
{
        unsigned all = page_columns;
        if (beside != NONE && all > BESIDE)
                page_columns = BESIDE;
        answer_draw(verdict, page_columns < all);
        page_columns = all;
}

static void draw(void)
{
        page_begin();
        if (page) {
                beside_hide();
                detail_draw(page - 1);
        } else {
                draw_answer();
        }
        draw_keys(false);
        if (page || beside == NONE || page_columns <= BESIDE)
                return;
        beside_show();
        if (beside == NONE)
                draw();
}

static void turn(int by)
{
        page = (page + pages + (unsigned)by) % pages;
}

/* If a screen of pixels has no room beside the page, the toll's codes get the whole screen, or are
 * shown with all others, one at a time. */
static enum {
        TOLL_UNTRIED,
        TOLL_SHOWN, /* once per round */
        TOLL_ONE_BY_ONE,
        TOLL_NEVER
} toll;

static int toll_comes(void)
{
        int status = run("/bin/codes", WORD("toll=", TOLL_SECONDS));
        int key = key_of(status);
        toll = !status || key != KEY_NONE ? TOLL_SHOWN
               : status == CODES_NO_ROOM  ? TOLL_ONE_BY_ONE
                                          : TOLL_NEVER;
        return key;
}

/* The last suite= of the words counts. */
static bool was_everything(void)
{
        static char words[2048];
        const char *run = record_next(NULL, "run"), *all = "suite=" SUITES_EVERYTHING, *was = "";
        if (run)
                record_text(run, "cmdline", words, sizeof words);
        for (const char *at = words; (at = strstr(at, "suite=")); at++)
                was = at;
        size_t length = strlen(all);
        return !strncmp(was, all, length) && (!was[length] || was[length] == ' ');
}

/* Until a key is pressed, every second page is the first one. Between them come the codes, if they
 * are automatic, and the detail pages. Returns as codes_come(). */
static int turn_alone(void)
{
        static unsigned next; /* 0: the toll's codes, 1: all codes, then pages */
        if (page) {
                page = 0;
                return KEY_NONE;
        }
        if (next == 0) {
                next = 1;
                int key = (beside == UNTRIED || beside == NONE) && toll < TOLL_ONE_BY_ONE
                                  ? toll_comes()
                                  : KEY_NONE;
                if (toll == TOLL_SHOWN)
                        return key;
        }
        if (next == 1 && (was_everything() || !heard || toll == TOLL_ONE_BY_ONE)) {
                bool round;
                int key = codes_come(&round);
                next += round;
                return key;
        }
        next = next < 2 ? 2 : next;
        page = (next - 1) % pages;
        next = next < pages ? next + 1 : 0;
        return KEY_NONE;
}

static void act(int key)
{
        for (size_t i = 0; i < ACTIONS; i++) {
                if (actions[i].key != key)
                        continue;
                beside_hide();
                actions[i].act();
        }
}

int main(int argc, char **argv)
{
        bool alone = true; /* no key has been pressed */
        verdict = option(argv, "verdict") ? option(argv, "verdict") : "";
        heard = !option(argv, "keys");
        signal_set(SIGINT, SIG_IGN);
        signal_set(SIGHUP, SIG_IGN);
        signal_set(SIGTTOU, SIG_IGN);
        draw_keys(true);
        page_open();
        records_read();
        pages = 1 + detail_pages();
        for (keys_open();;) {
                draw();
                int key = key_wait(alone ? TURN : -1);
                if (alone && key == KEY_NONE)
                        key = turn_alone();
                alone &= key == KEY_NONE;
                if (key == KEY_PAGE_UP || key == KEY_UP)
                        turn(-1);
                else if (key == KEY_PAGE_DOWN || key == KEY_DOWN || key == ' ')
                        turn(1);
                else
                        act(key);
        }
}
