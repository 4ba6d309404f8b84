# Speed against a bare client: `make check` compiles it, `make bench` runs it,
# `make bench BENCH="book hot --rounds 9"` runs a part of it.
EXTRA_PROGRAMS += tests/bench/bench tests/bench/trivial
bench_programs = tests/bench/bench$(EXEEXT) tests/bench/trivial$(EXEEXT)
check_DATA = $(bench_programs)
CLEANFILES += $(bench_programs)

tests_bench_bench_SOURCES = \
	tests/bench/bare.c tests/bench/bare.h \
	tests/bench/bench.c tests/bench/bench.h \
	tests/bench/book.c tests/bench/book.h \
	tests/bench/book_bench.c \
	tests/bench/clients.c \
	tests/bench/data.c \
	tests/bench/data_orders.c \
	tests/bench/grid.c tests/bench/grid.h \
	tests/bench/grid_child.c tests/bench/grid_child.h \
	tests/bench/key.c \
	tests/bench/pay.c $(FD_SANDBOX_KIT) \
	tests/bench/pty.c tests/bench/pty.h \
	tests/bench/report.c \
	tests/bench/search.c tests/bench/search.h
tests_bench_bench_CPPFLAGS = $(FD_TEST_CPPFLAGS) $(DBCLIENT_CFLAGS)
tests_bench_bench_LDADD = libfdtest.a libfdview.a $(FD_UI_FLOORS) $(FD_FLOORS) $(FD_TERM_LIBS) $(FD_FLOOR_LIBS) \
	$(CMOCKA_LIBS) -lutil

tests_bench_trivial_SOURCES = tests/bench/bare.c tests/bench/bare.h tests/bench/trivial.c
tests_bench_trivial_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests $(DBCLIENT_CFLAGS)
tests_bench_trivial_LDADD = $(NCURSES_LIBS) $(DBCLIENT_LIBS)

.PHONY: bench
bench: frontdesk$(EXEEXT) frontdesk-sandbox$(EXEEXT) $(bench_programs)
	tests/bench/bench$(EXEEXT) $(BENCH)
