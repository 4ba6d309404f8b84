# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdwidget.a
libfdwidget_a_SOURCES = \
	ui/widget/bar.c ui/widget/bar.h \
	ui/widget/command.c ui/widget/command.h \
	ui/widget/dialog.c ui/widget/dialog.h \
	ui/widget/edit.c ui/widget/edit.h \
	ui/widget/form.c ui/widget/form.h ui/widget/form_internal.h \
	ui/widget/form_draw.c \
	ui/widget/form_input.c \
	ui/widget/help.c ui/widget/help.h \
	ui/widget/keymap.c ui/widget/keymap.h \
	ui/widget/list.c ui/widget/list.h \
	ui/widget/qr.c ui/widget/qr.h \
	ui/widget/request.c ui/widget/request.h
