# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdbase.a
libfdbase_a_SOURCES = \
	src/base/config.c src/base/config.h \
	src/base/csv.c src/base/csv.h \
	src/base/error.c src/base/error.h \
	src/base/folder.c src/base/folder.h \
	src/base/fault.c src/base/fault.h \
	src/base/i18n.c src/base/i18n.h \
	src/base/ini_file.c src/base/ini_file.h \
	src/base/late.c src/base/late.h \
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

check_PROGRAMS += tests/base/config_test tests/base/csv_test tests/base/error_test tests/base/fault_test tests/base/late_test \
	tests/base/number_test tests/base/text_test
base_test_common = tests/base/unit.c tests/base/unit.h
base_test_libs = libfdbase.a $(FD_BASE_LIBS) $(CMOCKA_LIBS)
tests_base_config_test_SOURCES = tests/base/config_test.c $(base_test_common)
tests_base_config_test_LDADD = $(base_test_libs)
tests_base_csv_test_SOURCES = tests/base/csv_test.c $(base_test_common)
tests_base_csv_test_LDADD = $(base_test_libs)
tests_base_error_test_SOURCES = tests/base/error_test.c $(base_test_common)
tests_base_error_test_LDADD = $(base_test_libs)
# Fail points in any build: the two files stand before the library that has them without.
tests_base_fault_test_SOURCES = tests/base/fault_test.c $(base_test_common) src/base/fault.c src/base/mem.c
tests_base_fault_test_CPPFLAGS = $(AM_CPPFLAGS) -UFD_TEETH -DFD_TEETH=1
tests_base_fault_test_LDADD = $(base_test_libs)
tests_base_late_test_SOURCES = tests/base/late_test.c $(base_test_common)
tests_base_late_test_LDADD = $(base_test_libs)
tests_base_number_test_SOURCES = tests/base/number_test.c $(base_test_common)
tests_base_number_test_LDADD = $(base_test_libs)
tests_base_text_test_SOURCES = tests/base/text_test.c $(base_test_common)
tests_base_text_test_LDADD = $(base_test_libs)
TESTS += tests/base/tools.sh
EXTRA_DIST += tests/base/tools.sh
