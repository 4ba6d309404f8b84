/* The step before a refund or price change above the operator's limit: a second person signs here, or grants it at
 * another terminal. */
#ifndef FD_VIEW_APPROVAL_STEP_H
#define FD_VIEW_APPROVAL_STEP_H

#include "money/approval.h"
#include "ui/view/parts.h"

/* It is granted: `view` is the one that asked, in front again; `work` (may be NULL) is given back. */
typedef void approved_fn(struct view *view, void *work, int64_t approval_id);
struct approval_args {
    const struct approval_wish *wish; /* copied */
    const char *why;                  /* what FD_APPROVAL said */
    approved_fn *approved;
    void *work; /* struct work, given away; freed where the step is left. NULL none */
};
/* Asks for the approval and pushes the screen over `view`. */
void approval_open(struct view *view, const struct approval_args *args);
extern const struct view_ops view_approval;

#endif
