# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdterm.a
libfdterm_a_SOURCES = \
	ui/term/ambiguous.c ui/term/ambiguous.h \
	ui/term/canvas.c ui/term/canvas_internal.h \
	ui/term/capability.c \
	ui/term/cells.h \
	ui/term/decode.c ui/term/decode.h \
	ui/term/key.c ui/term/key.h \
	ui/term/paint.c \
	ui/term/signals.c \
	ui/term/style.c ui/term/style.h \
	ui/term/term.c ui/term/term.h ui/term/term_internal.h

# What a program that links libfdterm.a needs behind libfdbase.a.
FD_TERM_LIBS = $(NCURSES_LIBS)
