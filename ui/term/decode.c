#include "ui/term/decode.h"
#include <stdlib.h>
#include <string.h>
#include "base/text.h"

#define DEFINED_MAX       96
#define SEQUENCE_BYTES    16  /* longest terminfo string kept */
#define SWALLOW_BYTES     256 /* an unknown sequence longer than this is given up */
#define SEQUENCE_WAIT_MS  100 /* the rest of a sequence that has begun */
#define PASTE_WAIT_MS     2000 /* a paste whose end marker got lost */
#define DOUBLE_CLICK_MS   400

struct defined {
    char bytes[SEQUENCE_BYTES];
    uint8_t count;
    uint32_t key;
};

struct decoder {
    int escape_delay_ms;
    struct defined defined[DEFINED_MAX];
    size_t defined_count;
    char *bytes; /* not yet decoded: bytes[head .. end) */
    size_t head, end, room;
    int64_t fed_ms;  /* when the last byte came */
    int64_t wait_until_ms; /* when what is there is decided without more bytes; -1 nothing waits */
    bool pasting;
    struct buf paste;
    char *pasted; /* handed out */
    int64_t report_until_ms;
    int report_row, report_column; /* 0 = none */
    int64_t click_ms;
    int click_row, click_column;
};

/* What one step found. */
enum step { STEP_EVENT, STEP_SKIPPED, STEP_WAIT };

struct decoder *decoder_new(int escape_delay_ms) {
    struct decoder *decoder = xcalloc(1, sizeof *decoder);
    decoder->escape_delay_ms = escape_delay_ms < 1 ? 1 : escape_delay_ms;
    decoder->wait_until_ms = -1;
    decoder->click_ms = -DOUBLE_CLICK_MS;
    return decoder;
}

static void forget_paste(struct decoder *decoder) {
    if (decoder->pasted)
        explicit_bzero(decoder->pasted, strlen(decoder->pasted));
    free(decoder->pasted);
    decoder->pasted = NULL;
}

void decoder_free(struct decoder *decoder) {
    if (!decoder)
        return;
    forget_paste(decoder);
    if (decoder->bytes)
        explicit_bzero(decoder->bytes, decoder->room);
    free(decoder->bytes);
    buf_release(&decoder->paste);
    free(decoder);
}

void decoder_define(struct decoder *decoder, const char *sequence, uint32_t key) {
    size_t count = sequence ? strlen(sequence) : 0;
    if (count < 2 || count > SEQUENCE_BYTES || sequence[0] != '\033' || decoder->defined_count == DEFINED_MAX)
        return;
    struct defined *defined = &decoder->defined[decoder->defined_count++];
    memcpy(defined->bytes, sequence, count);
    defined->count = (uint8_t)count;
    defined->key = key;
}

void decoder_feed(struct decoder *decoder, const char *bytes, size_t count, int64_t now_ms) {
    if (decoder->head > 0) {
        memmove(decoder->bytes, decoder->bytes + decoder->head, decoder->end - decoder->head);
        decoder->end -= decoder->head;
        decoder->head = 0;
    }
    if (decoder->end + count > decoder->room) {
        decoder->room = (decoder->end + count) * 2 + 256;
        decoder->bytes = xrealloc(decoder->bytes, decoder->room, 1);
    }
    memcpy(decoder->bytes + decoder->end, bytes, count);
    decoder->end += count;
    decoder->fed_ms = now_ms;
}

/* --- building events --- */

static enum step give_key(struct decoder *decoder, size_t used, uint32_t key, struct input *input) {
    decoder->head += used;
    if (key == K_NONE)
        return STEP_SKIPPED;
    *input = input_key(key);
    return STEP_EVENT;
}

static enum step skip(struct decoder *decoder, size_t used) {
    decoder->head += used;
    return STEP_SKIPPED;
}

/* Undecided until `limit` ms after the last byte. True: decide now. */
static bool time_is_up(struct decoder *decoder, int limit, int64_t now_ms) {
    if (now_ms - decoder->fed_ms >= limit)
        return true;
    decoder->wait_until_ms = decoder->fed_ms + limit;
    return false;
}

/* xterm's modifier number: 1 + shift 1 + alt 2 + control 4. */
static uint32_t with_modifiers(uint32_t key, int number) {
    int bits = number > 0 ? number - 1 : 0;
    if (key == K_TAB && (bits & 1))
        return K_BACKTAB;
    return key | (bits & 1 ? K_SHIFT : 0) | (bits & 2 ? K_ALT : 0) | (bits & 4 ? K_CTRL : 0);
}

static uint32_t control_key(unsigned char byte) {
    switch (byte) {
    case '\r':
    case '\n':
        return K_ENTER;
    case '\t':
        return K_TAB;
    case 0x7f:
    case 0x08:
        return K_BACKSPACE;
    case 0x1b:
        return K_ESC;
    case 0:
        return K_CTRL | ' ';
    default:
        return K_CTRL | (byte < 27 ? byte + 'a' - 1u : byte + 0x40u);
    }
}

/* --- sequences --- */

#define PARAMETERS 4
struct csi {
    char private; /* '<', '?', '>' or 0 */
    int parameter[PARAMETERS];
    int count;
    char final;
    size_t used; /* bytes, ESC included */
};

/* Key of `ESC [ x` and `ESC O x`. */
static uint32_t letter_key(char final) {
    static const struct {
        char final;
        uint32_t key;
    } keys[] = {{'A', K_UP},  {'B', K_DOWN}, {'C', K_RIGHT}, {'D', K_LEFT}, {'F', K_END}, {'H', K_HOME},
                {'P', K_F1},  {'Q', K_F2},   {'R', K_F3},    {'S', K_F4},   {'M', K_ENTER}, {'Z', K_BACKTAB},
                {'I', K_TAB}, {'j', '*'},    {'k', '+'},     {'l', ','},    {'m', '-'},   {'n', '.'},
                {'o', '/'},   {'p', '0'},    {'q', '1'},     {'r', '2'},    {'s', '3'},   {'t', '4'},
                {'u', '5'},   {'v', '6'},    {'w', '7'},     {'x', '8'},    {'y', '9'},   {'X', '='}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].final == final)
            return keys[i].key;
    return K_NONE;
}

/* Key of `ESC [ number ~`: VT220, PuTTY and rxvt spellings. */
static uint32_t tilde_key(int number) {
    static const uint32_t keys[] = {[1] = K_HOME, [2] = K_INSERT, [3] = K_DELETE, [4] = K_END, [5] = K_PGUP,
                                    [6] = K_PGDN, [7] = K_HOME,   [8] = K_END,    [11] = K_F1, [12] = K_F2,
                                    [13] = K_F3,  [14] = K_F4,    [15] = K_F5,    [17] = K_F6, [18] = K_F7,
                                    [19] = K_F8,  [20] = K_F9,    [21] = K_F10,   [23] = K_F11, [24] = K_F12};
    return number > 0 && number < (int)(sizeof keys / sizeof keys[0]) ? keys[number] : K_NONE;
}

/* `ESC [ code ; modifiers u` and `ESC [ 27 ; modifiers ; code ~`. */
static uint32_t unicode_key(int code, int modifiers) {
    if (code <= 0 || code > 0x10ffff || (code >= 0x80 && code < 0xa0))
        return K_NONE;
    if (code < 0x20 || code == 0x7f)
        return with_modifiers(control_key((unsigned char)code), modifiers);
    /* shift is in the character already */
    return with_modifiers((uint32_t)code, modifiers > 0 ? ((modifiers - 1) & ~1) + 1 : 0);
}

static enum step give_mouse(struct decoder *decoder, size_t used, const int event[3], struct input *input) {
    int button = event[0], column = event[1] - 1, row = event[2] - 1;
    decoder->head += used;
    if ((button & 32) || row < 0 || column < 0)
        return STEP_SKIPPED;
    *input = (struct input){.kind = INPUT_MOUSE, .row = row, .column = column};
    if (button & 64) {
        input->mouse = button & 1 ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP;
        return button & 2 ? STEP_SKIPPED : STEP_EVENT;
    }
    if (button & 3)
        return STEP_SKIPPED;
    bool again = decoder->fed_ms - decoder->click_ms < DOUBLE_CLICK_MS && decoder->click_row == row &&
                 decoder->click_column == column;
    input->mouse = again ? MOUSE_DOUBLE : MOUSE_CLICK;
    decoder->click_ms = again ? decoder->fed_ms - DOUBLE_CLICK_MS : decoder->fed_ms;
    decoder->click_row = row;
    decoder->click_column = column;
    return STEP_EVENT;
}

/* 1 = whole, 0 = more bytes needed, -1 = not a sequence (a control character in it). */
static int parse_csi(const char *bytes, size_t count, struct csi *csi) {
    size_t at = 2;
    *csi = (struct csi){0};
    if (at < count && bytes[at] >= '<' && bytes[at] <= '?')
        csi->private = bytes[at++];
    for (; at < count; at++) {
        char c = bytes[at];
        if (c >= '0' && c <= '9') {
            if (csi->count == 0)
                csi->count = 1;
            int *parameter = &csi->parameter[csi->count - 1];
            if (*parameter < 1000000)
                *parameter = *parameter * 10 + (c - '0');
        } else if (c == ';' || c == ':') {
            csi->count = csi->count == 0 ? 2 : csi->count + 1;
            if (csi->count > PARAMETERS)
                csi->count = PARAMETERS;
        } else if (c >= 0x40 && c <= 0x7e) {
            csi->final = c;
            csi->used = at + 1;
            return 1;
        } else if (c < 0x20 || c > 0x2f) {
            csi->used = at;
            return -1;
        }
    }
    return 0;
}

static enum step give_csi(struct decoder *decoder, const struct csi *csi, int64_t now_ms, struct input *input) {
    const int *parameter = csi->parameter;
    if (csi->private == '<' && (csi->final == 'M' || csi->final == 'm'))
        return csi->final == 'M' ? give_mouse(decoder, csi->used, parameter, input) : skip(decoder, csi->used);
    if (csi->private)
        return skip(decoder, csi->used);
    if (csi->final == 'R' && csi->count == 2 && now_ms <= decoder->report_until_ms) {
        decoder->report_row = parameter[0];
        decoder->report_column = parameter[1];
        decoder->report_until_ms = 0;
        return skip(decoder, csi->used);
    }
    if (csi->final == '~' && parameter[0] == 200) {
        decoder->pasting = true;
        return skip(decoder, csi->used);
    }
    if (csi->final == '~' && parameter[0] == 27)
        return give_key(decoder, csi->used, unicode_key(parameter[2], parameter[1]), input);
    if (csi->final == 'u')
        return give_key(decoder, csi->used, unicode_key(parameter[0], parameter[1]), input);
    if (csi->final == '~') {
        uint32_t key = tilde_key(parameter[0]);
        return give_key(decoder, csi->used, key ? with_modifiers(key, parameter[1]) : K_NONE, input);
    }
    bool foreign = csi->final == 'M' || csi->final == 'I' || (csi->count > 1 && parameter[0] > 1);
    uint32_t key = foreign ? K_NONE : letter_key(csi->final);
    return give_key(decoder, csi->used, key >= K_FIRST_NAMED ? with_modifiers(key, parameter[1]) : K_NONE, input);
}

/* `ESC [ M` and three bytes, offset 32: terminals without SGR reports. */
static enum step decode_old_mouse(struct decoder *decoder, const char *bytes, size_t count, int64_t now_ms,
                                  struct input *input) {
    if (count < 6)
        return time_is_up(decoder, SEQUENCE_WAIT_MS, now_ms) ? skip(decoder, count) : STEP_WAIT;
    const int event[3] = {(unsigned char)bytes[3] - 32, (unsigned char)bytes[4] - 32, (unsigned char)bytes[5] - 32};
    if ((event[0] & 3) == 3 && !(event[0] & 64))
        return skip(decoder, 6);
    return give_mouse(decoder, 6, event, input);
}

static enum step decode_csi(struct decoder *decoder, int64_t now_ms, struct input *input) {
    const char *bytes = decoder->bytes + decoder->head;
    size_t count = decoder->end - decoder->head;
    struct csi csi;
    if (count == 2)
        return time_is_up(decoder, SEQUENCE_WAIT_MS, now_ms) ? give_key(decoder, 2, K_ALT | '[', input) : STEP_WAIT;
    if (bytes[2] == 'M')
        return decode_old_mouse(decoder, bytes, count, now_ms, input);
    if (bytes[2] == '[') { /* the linux console's F1 to F5 */
        if (count < 4)
            return time_is_up(decoder, SEQUENCE_WAIT_MS, now_ms) ? skip(decoder, 3) : STEP_WAIT;
        return give_key(decoder, 4, bytes[3] >= 'A' && bytes[3] <= 'E' ? K_F(bytes[3] - 'A' + 1) : K_NONE, input);
    }
    switch (parse_csi(bytes, count, &csi)) {
    case 1:
        return give_csi(decoder, &csi, now_ms, input);
    case -1:
        return skip(decoder, csi.used);
    default:
        if (count > SWALLOW_BYTES || time_is_up(decoder, SEQUENCE_WAIT_MS, now_ms))
            return skip(decoder, count);
        return STEP_WAIT;
    }
}

/* `ESC O x`, with a modifier digit in old xterms: `ESC O 5 A`. */
static enum step decode_ss3(struct decoder *decoder, int64_t now_ms, struct input *input) {
    const char *bytes = decoder->bytes + decoder->head;
    size_t count = decoder->end - decoder->head, at = 2;
    int modifiers = 0;
    while (at < count && at < 5 && bytes[at] >= '0' && bytes[at] <= '9')
        modifiers = modifiers * 10 + (bytes[at++] - '0');
    if (at == count) {
        if (!time_is_up(decoder, SEQUENCE_WAIT_MS, now_ms))
            return STEP_WAIT;
        return count == 2 ? give_key(decoder, 2, K_ALT | 'O', input) : skip(decoder, count);
    }
    if ((unsigned char)bytes[at] < 0x20)
        return skip(decoder, at);
    uint32_t key = letter_key(bytes[at]);
    return give_key(decoder, at + 1, key ? with_modifiers(key, modifiers) : K_NONE, input);
}

/* Answers of the terminal that we never asked for: OSC, DCS, APC, PM, SOS up to their terminator. */
static enum step decode_string(struct decoder *decoder, int64_t now_ms, struct input *input) {
    const char *bytes = decoder->bytes + decoder->head;
    size_t count = decoder->end - decoder->head;
    for (size_t at = 2; at < count; at++) {
        if (bytes[at] == '\a')
            return skip(decoder, at + 1);
        if (bytes[at] == '\033' && at + 1 < count)
            return skip(decoder, bytes[at + 1] == '\\' ? at + 2 : at);
    }
    if (count > SWALLOW_BYTES)
        return skip(decoder, count);
    if (!time_is_up(decoder, SEQUENCE_WAIT_MS, now_ms))
        return STEP_WAIT;
    return count == 2 ? give_key(decoder, 2, K_ALT | (unsigned char)bytes[1], input) : skip(decoder, count);
}

/* Longest defined sequence at the head: its row, else NULL; *more where a longer one may come. */
static const struct defined *match_defined(const struct decoder *decoder, bool *more) {
    const char *bytes = decoder->bytes + decoder->head;
    size_t count = decoder->end - decoder->head;
    const struct defined *best = NULL;
    *more = false;
    for (size_t i = 0; i < decoder->defined_count; i++) {
        const struct defined *defined = &decoder->defined[i];
        size_t common = defined->count < count ? defined->count : count;
        if (memcmp(bytes, defined->bytes, common) != 0)
            continue;
        if (defined->count > count)
            *more = true;
        else if (!best || defined->count > best->count)
            best = defined;
    }
    return best;
}

/* --- characters --- */

static enum step decode_character(struct decoder *decoder, size_t prefix, int64_t now_ms, struct input *input) {
    const unsigned char *bytes = (const unsigned char *)decoder->bytes + decoder->head + prefix;
    size_t count = decoder->end - decoder->head - prefix;
    size_t need = bytes[0] < 0x80 ? 1 : bytes[0] < 0xc2 ? 0 : bytes[0] < 0xe0 ? 2 : bytes[0] < 0xf0 ? 3 : bytes[0] < 0xf5 ? 4 : 0;
    char text[8] = "";
    const char *at = text;
    if (need == 0)
        return skip(decoder, prefix + 1);
    for (size_t i = 1; i < need && i < count; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return skip(decoder, prefix + i);
    if (count < need)
        return time_is_up(decoder, SEQUENCE_WAIT_MS, now_ms) ? skip(decoder, prefix + count) : STEP_WAIT;
    memcpy(text, bytes, need);
    uint32_t ch = text_next(&at);
    if (ch < 0x20 || ch == 0x7f)
        return give_key(decoder, prefix + need, (prefix ? K_ALT : 0) | control_key((unsigned char)ch), input);
    if ((ch >= 0x80 && ch < 0xa0) || (ch == 0xfffd && need > 1 && memcmp(text, "\xef\xbf\xbd", 3) != 0))
        return skip(decoder, prefix + need);
    if (prefix && ch >= '0' && ch <= '9')
        return give_key(decoder, prefix + 1, ch == '0' ? K_F10 : K_F(ch - '0'), input);
    return give_key(decoder, prefix + need, (prefix ? K_ALT : 0) | ch, input);
}

static enum step decode_escape(struct decoder *decoder, int64_t now_ms, struct input *input) {
    const char *bytes = decoder->bytes + decoder->head;
    size_t count = decoder->end - decoder->head;
    bool more;
    if (count == 1 || bytes[1] == '\033') {
        if (count == 1 && !time_is_up(decoder, decoder->escape_delay_ms, now_ms))
            return STEP_WAIT;
        return give_key(decoder, 1, K_ESC, input);
    }
    const struct defined *defined = match_defined(decoder, &more);
    if (more && !time_is_up(decoder, SEQUENCE_WAIT_MS, now_ms))
        return STEP_WAIT;
    if (defined)
        return give_key(decoder, defined->count, defined->key, input);
    switch (bytes[1]) {
    case '[':
        return decode_csi(decoder, now_ms, input);
    case 'O':
        return decode_ss3(decoder, now_ms, input);
    case ']':
    case 'P':
    case '_':
    case '^':
    case 'X':
        return decode_string(decoder, now_ms, input);
    default:
        return decode_character(decoder, 1, now_ms, input);
    }
}

/* --- pastes --- */

static enum step give_paste(struct decoder *decoder, struct input *input) {
    size_t bytes = decoder->paste.bytes * 3 + 1; /* a bad byte becomes U+FFFD */
    forget_paste(decoder);
    decoder->pasted = xmalloc(bytes);
    text_clean(decoder->pasted, bytes, buf_text(&decoder->paste));
    buf_release(&decoder->paste);
    decoder->pasting = false;
    *input = (struct input){.kind = INPUT_PASTE, .paste = decoder->pasted};
    return STEP_EVENT;
}

static void keep_paste(struct decoder *decoder, size_t count) {
    for (size_t i = 0; i < count && decoder->paste.bytes < DECODE_PASTE_MAX; i++) {
        char c = decoder->bytes[decoder->head + i];
        bool after_return = decoder->paste.bytes > 0 && decoder->paste.text[decoder->paste.bytes - 1] == '\n';
        if (c == '\n' && after_return && i > 0 && decoder->bytes[decoder->head + i - 1] == '\r')
            continue; /* CR LF is one line end */
        c = c == '\r' ? '\n' : c;
        if (c != '\0')
            buf_add_bytes(&decoder->paste, &c, 1);
    }
    decoder->head += count;
}

static enum step decode_paste(struct decoder *decoder, int64_t now_ms, struct input *input) {
    static const char marker[] = "\033[201~";
    const size_t marker_bytes = sizeof marker - 1;
    const char *bytes = decoder->bytes + decoder->head;
    size_t count = decoder->end - decoder->head;
    const char *end = count ? memmem(bytes, count, marker, marker_bytes) : NULL;
    if (end) {
        keep_paste(decoder, (size_t)(end - bytes));
        decoder->head += marker_bytes;
        return give_paste(decoder, input);
    }
    if (count >= marker_bytes)
        keep_paste(decoder, count - (marker_bytes - 1));
    if (!time_is_up(decoder, PASTE_WAIT_MS, now_ms))
        return STEP_WAIT;
    keep_paste(decoder, decoder->end - decoder->head);
    return give_paste(decoder, input);
}

/* --- the outside --- */

static enum step decode_one(struct decoder *decoder, int64_t now_ms, struct input *input) {
    if (decoder->pasting)
        return decode_paste(decoder, now_ms, input);
    if (decoder->head == decoder->end)
        return STEP_WAIT;
    if (decoder->bytes[decoder->head] == '\033')
        return decode_escape(decoder, now_ms, input);
    return decode_character(decoder, 0, now_ms, input);
}

bool decoder_next(struct decoder *decoder, int64_t now_ms, struct input *input) {
    for (;;) {
        decoder->wait_until_ms = -1;
        switch (decode_one(decoder, now_ms, input)) {
        case STEP_EVENT:
            return true;
        case STEP_WAIT:
            return false;
        case STEP_SKIPPED:
            break;
        }
    }
}

int decoder_wait_ms(const struct decoder *decoder, int64_t now_ms) {
    if (decoder->wait_until_ms < 0)
        return -1;
    return decoder->wait_until_ms <= now_ms ? 0 : (int)(decoder->wait_until_ms - now_ms);
}

void decoder_expect_report(struct decoder *decoder, int64_t until_ms) {
    decoder->report_until_ms = until_ms;
    decoder->report_row = 0;
}

bool decoder_report(struct decoder *decoder, int *row, int *column) {
    if (decoder->report_row == 0)
        return false;
    *row = decoder->report_row;
    *column = decoder->report_column;
    decoder->report_row = 0;
    return true;
}
