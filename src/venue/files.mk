# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdvenue.a
libfdvenue_a_SOURCES = \
	src/venue/actions.c src/venue/actions.h \
	src/venue/actions_day.c \
	src/venue/actions_order.c \
	src/venue/actions_parse.c \
	src/venue/actions_show.c \
	src/venue/actions_slot.c \
	src/venue/any_of.c \
	src/venue/booking.c src/venue/booking.h \
	src/venue/cancel.c \
	src/venue/change.c \
	src/venue/check_in.c \
	src/venue/draft.c \
	src/venue/grid.c \
	src/venue/order.c \
	src/venue/range.c \
	src/venue/schedule.c \
	src/venue/search.c \
	src/venue/slot.c src/venue/slot.h \
	src/venue/stock.c \
	src/venue/venue_internal.h \
	src/venue/venues.c \
	src/venue/why.c

check_PROGRAMS += tests/venue/action_test tests/venue/book_test tests/venue/change_test tests/venue/clock_test \
	tests/venue/race_test tests/venue/schedule_test tests/venue/search_test tests/venue/state_test
venue_test_common = tests/venue/hall.c tests/venue/hall.h
venue_test_cppflags = $(FD_TEST_CPPFLAGS)
venue_test_libs = libfdvenue.a libfdmoney.a libfdcore.a libfdoutside.a libfdtest.a $(FD_TEST_LIBS) \
	$(FD_CORE_LIBS) $(FD_OUTSIDE_LIBS) -lpthread
tests_venue_action_test_SOURCES = tests/venue/action_test.c $(venue_test_common)
tests_venue_action_test_CPPFLAGS = $(venue_test_cppflags)
tests_venue_action_test_LDADD = $(venue_test_libs)
tests_venue_book_test_SOURCES = tests/venue/book_test.c $(venue_test_common)
tests_venue_book_test_CPPFLAGS = $(venue_test_cppflags)
tests_venue_book_test_LDADD = $(venue_test_libs)
tests_venue_change_test_SOURCES = tests/venue/change_test.c $(venue_test_common)
tests_venue_change_test_CPPFLAGS = $(venue_test_cppflags)
tests_venue_change_test_LDADD = $(venue_test_libs)
tests_venue_clock_test_SOURCES = tests/venue/clock_test.c $(venue_test_common)
tests_venue_clock_test_CPPFLAGS = $(venue_test_cppflags)
tests_venue_clock_test_LDADD = $(venue_test_libs)
tests_venue_schedule_test_SOURCES = tests/venue/schedule_test.c $(venue_test_common)
tests_venue_schedule_test_CPPFLAGS = $(venue_test_cppflags)
tests_venue_schedule_test_LDADD = $(venue_test_libs)
tests_venue_state_test_SOURCES = tests/venue/state_test.c $(venue_test_common)
tests_venue_state_test_CPPFLAGS = $(venue_test_cppflags)
tests_venue_state_test_LDADD = $(venue_test_libs)
tests_venue_race_test_SOURCES = tests/venue/race_test.c $(venue_test_common) tests/fault/tally.c tests/fault/tally.h
tests_venue_race_test_CPPFLAGS = $(venue_test_cppflags)
tests_venue_race_test_LDADD = $(venue_test_libs)
tests_venue_search_test_SOURCES = tests/venue/search_test.c $(venue_test_common)
tests_venue_search_test_CPPFLAGS = $(venue_test_cppflags)
tests_venue_search_test_LDADD = $(venue_test_libs)
