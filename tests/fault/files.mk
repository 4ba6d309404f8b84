# The fault set. Fail points in any build: these sources stand before the libraries that have them without.
fault_points = src/base/fault.c src/base/mem.c src/core/op.c src/core/op_end.c src/core/order_fire.c src/db/migrate.c \
	src/db/statement.c src/db/txn.c src/money/code_settle.c src/money/pay.c src/money/refund.c src/venue/draft.c src/venue/schedule.c \
	src/venue/stock.c
fault_common = tests/fault/sound.c tests/fault/sound.h tests/fault/tally.c tests/fault/tally.h \
	tests/venue/hall.c tests/venue/hall.h
fault_cppflags = $(FD_TEST_CPPFLAGS) -I$(srcdir)
fault_libs = libfdtest.a $(FD_FLOORS) $(FD_FLOOR_LIBS) $(CMOCKA_LIBS) -lpthread

tests_fault_inject_test_SOURCES = $(fault_common) $(fault_points) \
	tests/fault/errors.c \
	tests/fault/inject.h \
	tests/fault/inject_test.c \
	tests/fault/points.c \
	tests/fault/scenario.c tests/fault/scenario.h \
	tests/fault/shortage.c tests/fault/shortage.h \
	tests/fault/shortage_calls.c
tests_fault_inject_test_CPPFLAGS = $(fault_cppflags) $(DBCLIENT_CFLAGS) -UFD_TEETH -DFD_TEETH=1
tests_fault_inject_test_LDADD = $(fault_libs)

tests_fault_meet_test_SOURCES = $(fault_common) tests/fault/meet.c tests/fault/meet.h tests/fault/meet_test.c
tests_fault_meet_test_CPPFLAGS = $(fault_cppflags)
tests_fault_meet_test_LDADD = $(fault_libs)

check_PROGRAMS += tests/fault/commit_test
tests_fault_commit_test_SOURCES = $(fault_common) tests/fault/commit_test.c
tests_fault_commit_test_CPPFLAGS = $(fault_cppflags)
tests_fault_commit_test_LDADD = $(fault_libs)

check_PROGRAMS += tests/fault/model_test
tests_fault_model_test_SOURCES = $(fault_common) tests/fault/model.c tests/fault/model.h tests/fault/model_test.c
tests_fault_model_test_CPPFLAGS = $(fault_cppflags)
tests_fault_model_test_LDADD = $(fault_libs)

check_PROGRAMS += tests/fault/filter_test
tests_fault_filter_test_SOURCES = $(fault_common) tests/fault/filter_test.c
tests_fault_filter_test_CPPFLAGS = $(fault_cppflags)
tests_fault_filter_test_LDADD = $(fault_libs)

tests_fault_channel_test_SOURCES = tests/fault/books.c tests/fault/books.h tests/fault/channel_test.c \
	tests/fault/disorder.c tests/fault/disorder.h tests/fault/disorder_console.c \
	tests/fault/slow.c tests/fault/slow.h \
	tests/fault/sound.c tests/fault/sound.h tests/fault/street.c tests/fault/street.h \
	tests/fault/tally.c tests/fault/tally.h $(cli_test_common) $(FD_SANDBOX_KIT)
EXTRA_tests_fault_channel_test_DEPENDENCIES = frontdesk$(EXEEXT) frontdesk-sandbox$(EXEEXT)
if TERMINAL_TESTS
tests_fault_channel_test_CPPFLAGS = $(fault_cppflags) -DWITH_SCREEN
tests_fault_channel_test_LDADD = libfdscreen.a $(fault_libs) $(FD_SCREEN_LIBS)
else
tests_fault_channel_test_CPPFLAGS = $(fault_cppflags)
tests_fault_channel_test_LDADD = $(fault_libs)
endif

# Without terminal or server of others: the release program has none of it.
TESTS += tests/release/release.sh
EXTRA_DIST += tests/fault/README tests/fault/teeth.sh tests/long/long.sh tests/release/release.sh

# make teeth: each safety switched off in a build of its own. make long LONG="meet server": many more rounds.
.PHONY: teeth long
teeth:
	sh $(srcdir)/tests/fault/teeth.sh
long:
	BUILD='$(abs_builddir)' sh $(srcdir)/tests/long/long.sh $(LONG)

if TERMINAL_TESTS
check_PROGRAMS += tests/fault/terminal_test
tests_fault_terminal_test_SOURCES = $(view_test_common) tests/fault/sound.c tests/fault/sound.h \
	tests/fault/tally.c tests/fault/tally.h tests/fault/terminal_test.c
tests_fault_terminal_test_CPPFLAGS = $(fault_cppflags)
tests_fault_terminal_test_LDADD = libfdscreen.a $(view_test_libs) $(FD_SCREEN_LIBS)
EXTRA_tests_fault_terminal_test_DEPENDENCIES = frontdesk$(EXEEXT)
endif
