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
	ui/view/parts.c ui/view/parts.h \
	ui/view/pay_draw.c ui/view/pay_internal.h \
	ui/view/pay_read.c \
	ui/view/pay_take.c \
	ui/view/pay_way.c \
	ui/view/qr_draw.c ui/view/qr_internal.h \
	ui/view/qr_setting.c \
	ui/view/qr_view.c \
	ui/view/slip.c ui/view/slip.h \
	ui/view/pay_view.c \
	ui/view/setup.c \
	ui/view/show.c \
	ui/view/sign_in.c \
	ui/view/text_view.c \
	ui/view/typed.c ui/view/typed.h \
	ui/view/verbs.c \
	ui/view/work.c \
	ui/view/write.c \
	ui/view/act_change.c \
	ui/view/act_more.c \
	ui/view/act_price.c \
	ui/view/act_refund.c \
	ui/view/approval_step.c ui/view/approval_step.h \
	ui/view/act.h \
	ui/view/approvals.c \
	ui/view/arrivals.c \
	ui/view/ask.c \
	ui/view/ask.h \
	ui/view/calls.c \
	ui/view/cancel.c \
	ui/view/cases.c \
	ui/view/customer.c \
	ui/view/customer_form.c \
	ui/view/customers.c \
	ui/view/customers.h \
	ui/view/find.c \
	ui/view/listing.c \
	ui/view/listing.h \
	ui/view/log_view.c \
	ui/view/move.c \
	ui/view/operators.c \
	ui/view/order.c \
	ui/view/order.h \
	ui/view/order_draw.c \
	ui/view/order_pages.c \
	ui/view/order_query.c \
	ui/view/order_query.h \
	ui/view/orders.c \
	ui/view/orders.h \
	ui/view/orders_filter.c \
	ui/view/params.c \
	ui/view/printer.c \
	ui/view/schedules.c \
	ui/view/schedules.h \
	ui/view/shift_forms.c ui/view/shift_internal.h \
	ui/view/shift_view.c \
	ui/view/slots_change.c \
	ui/view/sort.c \
	ui/view/slots_make.c \
	ui/view/venues.c \
	ui/view/wait.c ui/view/wait.h

view_test_common = tests/view/stage.c tests/view/stage.h
view_test_libs = libfdview.a $(FD_UI_FLOORS) $(FD_FLOORS) libfdtest.a libfddb.a libfdbase.a $(FD_TERM_LIBS) $(FD_FLOOR_LIBS) \
	$(CMOCKA_LIBS)
check_PROGRAMS += tests/view/picture_test
tests_view_picture_test_SOURCES = tests/view/picture_test.c $(view_test_common) tests/support/sandbox.c tests/support/sandbox.h
tests_view_picture_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_view_picture_test_LDADD = $(view_test_libs)
EXTRA_tests_view_picture_test_DEPENDENCIES = frontdesk-sandbox$(EXEEXT)
clerk_test_common = tests/view/clerk_kit.c tests/view/clerk_kit.h $(view_test_common)
check_PROGRAMS += tests/view/clerk_test tests/view/money_test tests/view/pages_test
tests_view_clerk_test_SOURCES = tests/view/clerk_test.c $(clerk_test_common)
tests_view_clerk_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_view_clerk_test_LDADD = $(view_test_libs)
tests_view_money_test_SOURCES = tests/view/money_test.c $(clerk_test_common)
tests_view_money_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_view_money_test_LDADD = $(view_test_libs)
tests_view_pages_test_SOURCES = tests/view/pages_test.c
tests_view_pages_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_view_pages_test_LDADD = $(view_test_libs)
EXTRA_DIST += tests/view/golden

if TERMINAL_TESTS
check_PROGRAMS += tests/view/pty_test
tests_view_pty_test_SOURCES = tests/view/pty_test.c $(view_test_common)
tests_view_pty_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_view_pty_test_LDADD = libfdscreen.a $(view_test_libs) $(FD_SCREEN_LIBS)
EXTRA_tests_view_pty_test_DEPENDENCIES = frontdesk$(EXEEXT)
check_PROGRAMS += tests/view/qr_pty_test
tests_view_qr_pty_test_SOURCES = tests/view/qr_pty_test.c $(view_test_common) tests/support/sandbox.c tests/support/sandbox.h
tests_view_qr_pty_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_view_qr_pty_test_LDADD = libfdscreen.a libfdpicture.a $(view_test_libs) $(FD_SCREEN_LIBS)
EXTRA_tests_view_qr_pty_test_DEPENDENCIES = frontdesk$(EXEEXT) frontdesk-sandbox$(EXEEXT)
CLEANFILES += tests/view/qr_*.pgm
endif

check_PROGRAMS += tests/view/console_test
tests_view_console_test_SOURCES = tests/view/console_test.c $(view_test_common) tests/support/sandbox.c tests/support/sandbox.h
tests_view_console_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_view_console_test_LDADD = $(view_test_libs)
EXTRA_tests_view_console_test_DEPENDENCIES = frontdesk-sandbox$(EXEEXT)
