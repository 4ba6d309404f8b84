/* A form as a view of its own: what is typed stays whatever is refused, the request key is made
 * when it opens and kept until it is left. Filters use it without a write. */
#ifndef FD_VIEW_ASK_H
#define FD_VIEW_ASK_H

#include "money/approval.h"
#include "ui/view/parts.h"

struct ask_spec {
    const char *title;      /* msgid of the title line */
    const char *intro;      /* msgid of a sentence above the form; NULL none */
    const struct field *fields;
    size_t field_count;
    const char *save;       /* msgid of the saving button: N_("Make the slots") */
    const char *working;    /* msgid while it is written: N_("Making slots") */
    /* UI thread. Defaults and choices, once. */
    void (*fill)(struct form *form, void *arg);
    /* UI thread. Field `id` changed (0: at the start): asides, hiding. NULL none. */
    void (*changed)(struct form *form, int id, void *arg);
    /* UI thread. A digit was typed on choice `id` with FIELD_DIGITS: give the focus to the field that it begins, where it
     * is typed then. NULL: there is no such choice. */
    void (*digit)(struct form *form, int id, void *arg);
    /* UI thread, after form_check(): values into arg. False: refused, a form_error() is set. */
    bool (*take)(struct form *form, void *arg);
    work_fn *run;           /* desk thread, in a JOB_WRITE; NULL: nothing is written */
    /* UI thread. Which field a refusal belongs to; NULL or 0: the first. */
    int (*blame)(const void *arg, const struct fd_error *err);
    /* UI thread, after FD_APPROVAL: what a second person would have to approve (texts borrowed from arg), and its id once
     * that is granted; then it is run again under the same key. Both or none. */
    void (*wish)(void *arg, struct approval_wish *wish);
    void (*approved)(void *arg, int64_t approval_id);
    /* UI thread, on success, the form closed already: tell it; `view` is the one that asked. */
    void (*done)(struct view *view, void *arg);
};
struct ask_args {
    const struct ask_spec *spec;
    /* From work_new(), given away: a flat struct that begins with struct work, without pointers to
     * owned memory (each try runs on a copy; run, done and key of the work are set by the form). */
    void *arg;
};
/* Pushes the form over `view`. Its child() hears result 1 where something was saved, just before done(). */
void ask_open(struct view *view, const struct ask_spec *spec, void *arg);
extern const struct view_ops view_ask;

#endif
