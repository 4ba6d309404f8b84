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
