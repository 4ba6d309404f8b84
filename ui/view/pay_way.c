/* Which channels are set up here. */
#include <stdlib.h>
#include "ui/view/pay_internal.h"

enum channel_id pay_channel(size_t way)
{
    return tenders[way].by_code ? channel_from_name(tenders[way].channel) : CHANNEL_COUNT;
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
    const struct job job = {N_("Reading the ways to pay"),       JOB_READ, ways_run, ways_done,
                            xcalloc(1, sizeof(struct ways_job)), free};
    view_post(view, &job);
}
