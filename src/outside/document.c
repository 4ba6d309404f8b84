/* Documents: a list of lines, and the same as JSON, in which the queue of the printer keeps it. */
#include "outside/document_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Names in JSON; which texts a kind has. */
static const struct {
    const char *name;
    bool text, right;
} kinds[LINE_KIND_COUNT] = {
    [LINE_TITLE] = {"title", true, false},       [LINE_TEXT] = {"text", true, false},
    [LINE_CENTRE] = {"centre", true, false},     [LINE_PAIR] = {"pair", true, true},
    [LINE_STRONG_PAIR] = {"strong", true, true}, [LINE_RULE] = {"rule", false, false},
    [LINE_BLANK] = {"blank", false, false},      [LINE_QR] = {"qr", true, false},
};

struct document *document_new(void)
{
    return xcalloc(1, sizeof(struct document));
}

void document_free(struct document **document)
{
    if (!document || !*document)
        return;
    for (size_t i = 0; i < (*document)->count; i++) {
        free((*document)->lines[i].text);
        free((*document)->lines[i].right);
    }
    free((*document)->lines);
    free(*document);
    *document = NULL;
}

/* Nothing that a printer or terminal could take for a command gets through: names and reasons come from outside. */
static char *clean_copy(const char *text)
{
    size_t bytes = strlen(text) * 3 + 1;
    char *clean = xmalloc(bytes);
    text_clean(clean, bytes, text);
    return clean;
}

static void add(struct document *document, enum line_kind kind, const char *text, const char *right)
{
    if (document->count == document->room) {
        document->room = document->room ? document->room * 2 : 32;
        document->lines = xrealloc(document->lines, document->room, sizeof *document->lines);
    }
    document->lines[document->count++] =
        (struct line){kind, clean_copy(text ? text : ""), kinds[kind].right ? clean_copy(right ? right : "") : NULL};
}

void document_title(struct document *document, const char *text)
{
    add(document, LINE_TITLE, text, NULL);
}

void document_text(struct document *document, const char *text)
{
    add(document, LINE_TEXT, text, NULL);
}

void document_centre(struct document *document, const char *text)
{
    add(document, LINE_CENTRE, text, NULL);
}

void document_pair(struct document *document, const char *left, const char *right)
{
    add(document, LINE_PAIR, left, right);
}

void document_strong_pair(struct document *document, const char *left, const char *right)
{
    add(document, LINE_STRONG_PAIR, left, right);
}

void document_rule(struct document *document)
{
    add(document, LINE_RULE, NULL, NULL);
}

void document_blank(struct document *document)
{
    add(document, LINE_BLANK, NULL, NULL);
}

void document_qr(struct document *document, const char *payload)
{
    add(document, LINE_QR, payload, NULL);
}

void document_top(struct document *document, const char *text)
{
    add(document, LINE_CENTRE, text, NULL);
    struct line top = document->lines[document->count - 1];
    memmove(document->lines + 1, document->lines, (document->count - 1) * sizeof *document->lines);
    document->lines[0] = top;
}

char *document_json(const struct document *document)
{
    struct tree *tree = tree_object(), *lines = tree_list();
    for (size_t i = 0; i < document->count; i++) {
        const struct line *line = &document->lines[i];
        struct tree *row = tree_object();
        tree_put_text(row, "kind", kinds[line->kind].name);
        if (kinds[line->kind].text)
            tree_put_text(row, "text", line->text);
        if (line->right)
            tree_put_text(row, "right", line->right);
        tree_add(lines, row);
    }
    tree_put(tree, "lines", lines);
    char *json = tree_dump(tree);
    tree_free(&tree);
    return json;
}

static bool add_from(struct document *document, const struct tree *row)
{
    const char *name = tree_get_text(row, "kind");
    for (int kind = 0; name && kind < LINE_KIND_COUNT; kind++) {
        if (strcmp(kinds[kind].name, name) != 0)
            continue;
        const char *text = tree_get_text(row, "text"), *right = tree_get_text(row, "right");
        if ((kinds[kind].text && !text) || (kinds[kind].right && !right))
            return false;
        add(document, (enum line_kind)kind, text, right);
        return true;
    }
    return false;
}

struct document *document_from_json(const char *json)
{
    struct tree *tree = json ? tree_parse(json) : NULL;
    const struct tree *lines = tree ? tree_get(tree, "lines") : NULL;
    struct document *document = lines && tree_is_list(lines) ? document_new() : NULL;
    for (size_t i = 0; document && i < tree_count(lines); i++)
        if (!add_from(document, tree_at(lines, i)))
            document_free(&document);
    tree_free(&tree);
    return document;
}
