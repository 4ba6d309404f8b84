/* The form for a new or changed customer. */
#include "ui/view/customers.h"
#include "ui/view/ask.h"
#include "base/text.h"
#include <string.h>

enum { F_PHONE = 1, F_NAME, F_NOTE, F_ALERT, F_REASON };

struct edit_arg {
    struct work base;
    int64_t id; /* 0: a new one */
    char phone[PHONE_BYTES], name[260], note[800], alert[800], reason[800];
    bool has_phone;
};

static const struct field fields[] = {
    {.id = F_PHONE, .label = N_("Phone"), .kind = FIELD_PHONE, .width_cells = 18, .hint = N_("Blanks and +86 do no harm")},
    {.id = F_NAME, .label = N_("Name"), .kind = FIELD_TEXT, .width_cells = 30, .max_chars = 64},
    {.id = F_NOTE, .label = N_("Note"), .kind = FIELD_NOTE, .width_cells = 50, .max_chars = 200, .hint = N_("What clerks should know")},
    {.id = F_ALERT, .label = N_("Alert"), .kind = FIELD_TEXT, .width_cells = 50, .max_chars = 100, .hint = N_("Shown as a warning whenever the phone is typed")},
    {.id = F_REASON, .label = N_("Reason"), .kind = FIELD_TEXT, .flags = FIELD_GAP, .width_cells = 50, .max_chars = 100, .hint = N_("Why it is changed, for the log")},
};

static void fill(struct form *form, void *work) {
    struct edit_arg *arg = work;
    form_set(form, F_PHONE, arg->phone);
    form_set(form, F_NAME, arg->name);
    form_set(form, F_NOTE, arg->note);
    form_set(form, F_ALERT, arg->alert);
    form_hide(form, F_REASON, arg->id == 0);
}

static bool take(struct form *form, void *work) {
    struct edit_arg *arg = work;
    cut_copy(arg->phone, sizeof arg->phone, form_phone(form, F_PHONE));
    cut_copy(arg->name, sizeof arg->name, form_text(form, F_NAME));
    cut_copy(arg->note, sizeof arg->note, form_text(form, F_NOTE));
    cut_copy(arg->alert, sizeof arg->alert, form_text(form, F_ALERT));
    cut_copy(arg->reason, sizeof arg->reason, form_text(form, F_REASON));
    if (arg->id != 0 || *arg->phone)
        return true;
    form_error(form, F_PHONE, _("A new customer needs a phone."));
    form_focus(form, F_PHONE);
    return false;
}

static enum fd_code run(struct desk *desk, void *work, struct fd_error *err) {
    struct edit_arg *arg = work;
    struct customer_edit edit = {.phone = *arg->phone ? arg->phone : NULL, .name = arg->name, .note = arg->note, .alert = arg->alert};
    if (arg->id == 0)
        return customer_add(desk, arg->base.key, &edit, &arg->id, err);
    return customer_change(desk, arg->base.key, arg->id, &edit, *arg->reason ? arg->reason : NULL, err);
}

static int blame(const void *work, const struct fd_error *err) {
    (void)work;
    return err->code == FD_REASON_NEEDED ? F_REASON : err->code == FD_EXISTS ? F_PHONE : F_NAME;
}

static void done(struct view *view, void *work) {
    struct edit_arg *arg = work;
    app_message(view_app(view), MESSAGE_GOOD, _("Saved: %s."), *arg->name ? arg->name : _("no name"));
    if (view_ops(view) == &view_customers)
        view_push(view, &view_customer, &(struct customer_args){arg->id});
}

static const struct ask_spec spec = {
    .title = N_("Customer"),
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
    .save = N_("Save"),
    .working = N_("Saving the customer"),
    .fill = fill,
    .take = take,
    .run = run,
    .blame = blame,
    .done = done,
};

void customer_edit_ask(struct view *view, const struct customer *customer, const char *phone) {
    struct edit_arg *arg = work_new(sizeof *arg, NULL, NULL);
    if (phone)
        cut_copy(arg->phone, sizeof arg->phone, phone);
    if (customer) {
        arg->id = customer->id;
        cut_copy(arg->phone, sizeof arg->phone, customer->phone);
        cut_copy(arg->name, sizeof arg->name, customer->name);
        cut_copy(arg->note, sizeof arg->note, customer->note);
        cut_copy(arg->alert, sizeof arg->alert, customer->alert);
    }
    ask_open(view, &spec, arg);
}
