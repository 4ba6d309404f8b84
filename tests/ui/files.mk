# Tests of ui/term, ui/widget and ui/app. libfdscreen.a drives a program in a pseudo-terminal; for
# x_LDADD = libfdscreen.a <floors> libfdbase.a $(FD_SCREEN_LIBS) $(FD_BASE_LIBS) $(CMOCKA_LIBS).
check_LIBRARIES += libfdscreen.a
libfdscreen_a_SOURCES = tests/support/screen.c tests/support/screen.h
libfdscreen_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests $(VTERM_CFLAGS)
FD_SCREEN_LIBS = $(VTERM_LIBS) -lutil

ui_test_libs = $(FD_UI_FLOORS) libfdbase.a $(FD_TERM_LIBS) $(FD_BASE_LIBS) $(CMOCKA_LIBS)
ui_test_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/tests $(CMOCKA_CFLAGS)
ui_test_common = tests/ui/unit.c tests/ui/unit.h

check_PROGRAMS += tests/ui/cells_test tests/ui/decode_test tests/ui/widget_test tests/ui/form_test tests/ui/app_test
tests_ui_cells_test_SOURCES = tests/ui/cells_test.c $(ui_test_common)
tests_ui_cells_test_CPPFLAGS = $(ui_test_cppflags)
tests_ui_cells_test_LDADD = $(ui_test_libs)
tests_ui_decode_test_SOURCES = tests/ui/decode_test.c $(ui_test_common)
tests_ui_decode_test_CPPFLAGS = $(ui_test_cppflags)
tests_ui_decode_test_LDADD = $(ui_test_libs)
tests_ui_widget_test_SOURCES = tests/ui/widget_test.c $(ui_test_common)
tests_ui_widget_test_CPPFLAGS = $(ui_test_cppflags)
tests_ui_widget_test_LDADD = $(ui_test_libs)
tests_ui_form_test_SOURCES = tests/ui/form_test.c $(ui_test_common)
tests_ui_form_test_CPPFLAGS = $(ui_test_cppflags)
tests_ui_form_test_LDADD = $(ui_test_libs)
tests_ui_app_test_SOURCES = tests/ui/app_test.c $(ui_test_common)
tests_ui_app_test_CPPFLAGS = $(ui_test_cppflags)
tests_ui_app_test_LDADD = $(ui_test_libs)

check_PROGRAMS += tests/ui/qr_test
tests_ui_qr_test_SOURCES = tests/ui/qr_test.c $(ui_test_common)
tests_ui_qr_test_CPPFLAGS = $(ui_test_cppflags)
tests_ui_qr_test_LDADD = libfdpicture.a libfdoutside.a $(ui_test_libs) $(FD_OUTSIDE_LIBS)
CLEANFILES += tests/ui/*.pgm

# The small console that tests/ui/term_test drives; not a test itself.
EXTRA_PROGRAMS = tests/ui/desk
CLEANFILES += tests/ui/desk$(EXEEXT)
tests_ui_desk_SOURCES = tests/ui/desk.c
tests_ui_desk_LDADD = $(ui_test_libs)

if TERMINAL_TESTS
check_PROGRAMS += tests/ui/term_test
tests_ui_term_test_SOURCES = tests/ui/term_test.c $(ui_test_common)
tests_ui_term_test_CPPFLAGS = $(ui_test_cppflags)
tests_ui_term_test_LDADD = libfdscreen.a $(ui_test_libs) $(FD_SCREEN_LIBS)
EXTRA_tests_ui_term_test_DEPENDENCIES = tests/ui/desk$(EXEEXT)
endif
