/* The data behind pinyin_initials() (base/text.h). */
#ifndef FD_BASE_PINYIN_H
#define FD_BASE_PINYIN_H

#define PINYIN_FIRST 0x4E00
#define PINYIN_LAST 0x9FFF

/* One lower-case letter per character, "." where there is none; terminated. */
extern const char pinyin_letters[PINYIN_LAST - PINYIN_FIRST + 2];

#endif
