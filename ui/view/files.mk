# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdview.a
libfdview_a_SOURCES = \
	ui/view/views.h \
	ui/view/acts.c \
	ui/view/booking_form.c ui/view/booking_internal.h \
	ui/view/booking_lines.c \
	ui/view/booking_read.c \
	ui/view/booking_work.c \
	ui/view/console.c ui/view/console.h ui/view/console_internal.h \
	ui/view/grid.c ui/view/grid_internal.h \
	ui/view/grid_draw.c \
	ui/view/line.c \
	ui/view/parts.c ui/view/parts.h \
	ui/view/pay_draw.c ui/view/pay_internal.h \
	ui/view/pay_read.c \
	ui/view/pay_view.c \
	ui/view/setup.c \
	ui/view/show.c \
	ui/view/sign_in.c \
	ui/view/text_view.c \
	ui/view/work.c \
	ui/view/write.c
