/* Notifications of the channels: verified, stored with their raw text, taken once, answered the same however often.
 * Source: domain section 5; facts A11, B3. */
#ifndef FD_MONEY_NOTICE_H
#define FD_MONEY_NOTICE_H
#include "money/code.h"

struct noticed {
    const char *outcome;         /* channel_notice.outcome; static */
    struct channel_reply reply;  /* what to answer */
};
/* Takes one. FD_OK also for refused ones (outcome and reply say so, nothing else was changed); an error means that it
 * could not be stored: answer 500, the channel sends again. */
enum fd_code notice_take(struct desk *desk, enum channel_id id, const struct channel_message *message,
                         struct noticed *noticed, struct fd_error *err);
#endif
