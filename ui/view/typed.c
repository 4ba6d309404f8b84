/* Keys typed ahead while an answer is on its way. */
#include "ui/view/typed.h"

void typed_begin(struct typed *typed)
{
    typed->count = 0;
    typed->since_ms = mono_ms();
}

bool typed_hold(struct typed *typed, const struct input *input)
{
    if (input->kind != INPUT_KEY || input->key == K_ESC || input->key == K_F(10) || input->key == K_F(12) ||
        mono_ms() - typed->since_ms > TYPED_MS)
        return false;
    if (typed->count < TYPED_MOST)
        typed->keys[typed->count++] = *input;
    return true;
}

void typed_drop(struct typed *typed)
{
    typed->count = 0;
}

void typed_replay(struct typed *typed, struct app *app)
{
    struct typed copy = *typed;
    typed->count = 0;
    for (size_t i = 0; i < copy.count; i++)
        app_input(app, &copy.keys[i]);
}
