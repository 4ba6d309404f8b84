# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdview.a
libfdview_a_SOURCES = \
	ui/view/views.h \
	ui/view/parts.c ui/view/parts.h \
	ui/view/work.c
