# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdbase.a
libfdbase_a_SOURCES = \
	src/base/config.c src/base/config.h \
	src/base/error.c src/base/error.h \
	src/base/folder.c src/base/folder.h \
	src/base/fault.c src/base/fault.h \
	src/base/i18n.c src/base/i18n.h \
	src/base/log.c src/base/log.h \
	src/base/mem.c src/base/mem.h \
	src/base/money.c src/base/money.h \
	src/base/pinyin.c src/base/pinyin.h \
	src/base/pinyin_data.c \
	src/base/secret.c \
	src/base/text.c src/base/text.h \
	src/base/text_input.c \
	src/base/token.c src/base/token.h \
	src/base/when.c src/base/when.h \
	src/base/when_parse.c

# What a program that links libfdbase.a needs behind it.
FD_BASE_LIBS = $(INIH_LIBS) $(CRYPTO_LIBS) $(UTF8PROC_LIBS)
