# Files of this floor; included by the root Makefile.am. The frame knows no business: views stand
# on it, and the program gives it the table of screens.
noinst_LIBRARIES += libfdapp.a
libfdapp_a_SOURCES = \
	ui/app/app.c ui/app/app.h ui/app/app_internal.h \
	ui/app/dispatch.c \
	ui/app/frame.c \
	ui/app/help_view.c \
	ui/app/jobs.c ui/app/jobs.h \
	ui/app/line.c \
	ui/app/menu.c \
	ui/app/stack.c \
	ui/app/view.h

# A program with views links: libfdview.a … $(FD_UI_FLOORS) <floors of src> … $(FD_TERM_LIBS).
FD_UI_FLOORS = libfdapp.a libfdwidget.a libfdterm.a
