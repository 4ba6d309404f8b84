/* The ways to pay of the payment screen, in the order of their digits. */
#include <stdlib.h>
#include "ui/view/pay_internal.h"

const struct pay_way pay_ways[PAY_WAYS] = {
    {'1', NC_("tender", "Cash"), TENDER_CASH, false, CHANNEL_COUNT, true, false},
    {'2', NC_("tender", "WeChat"), TENDER_COUNT, true, CHANNEL_WECHAT, false, false},
    {'3', NC_("tender", "Alipay"), TENDER_COUNT, true, CHANNEL_ALIPAY, false, false},
    {'4', NC_("tender", "Card"), TENDER_CARD, false, CHANNEL_COUNT, false, true},
    {'5', NC_("tender", "Transfer"), TENDER_TRANSFER, false, CHANNEL_COUNT, false, true},
    {'6', NC_("tender", "Static code"), TENDER_STATIC, false, CHANNEL_COUNT, false, true},
    {'7', NC_("tender", "Voucher"), TENDER_VOUCHER, false, CHANNEL_COUNT, false, true},
};

const char *pay_way_label(size_t way)
{
    return i18n_label(pay_ways[way].label);
}

struct ways_job {
    bool has[CHANNEL_COUNT];
};

static enum fd_code ways_run(struct desk *desk, void *arg, struct fd_error *err)
{
    struct ways_job *job = arg;
    (void)err;
    for (int i = 0; i < CHANNEL_COUNT; i++)
        job->has[i] = desk_has_channel(desk, (enum channel_id)i);
    return FD_OK;
}

static void ways_done(void *owner, void *arg, enum fd_code code, const struct fd_error *err)
{
    struct pay_state *state = view_state(owner);
    const struct ways_job *job = arg;
    (void)err;
    if (code != FD_OK)
        return;
    state->ways_known = true;
    for (int i = 0; i < CHANNEL_COUNT; i++)
        state->has_channel[i] = job->has[i];
}

void pay_read_ways(struct view *view)
{
    const struct job job = {N_("Reading the ways to pay"), JOB_READ, ways_run, ways_done, xcalloc(1, sizeof(struct ways_job)), free};
    view_post(view, &job);
}
