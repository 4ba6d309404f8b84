# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdmoney.a
libfdmoney_a_SOURCES = \
	src/money/approval.c src/money/approval.h \
	src/money/back.c src/money/back.h src/money/back_internal.h \
	src/money/back_actions.c \
	src/money/back_give.c \
	src/money/back_plan.c \
	src/money/back_send.c \
	src/money/back_found.c \
	src/money/back_settle.c \
	src/money/case.c src/money/case.h src/money/case_internal.h \
	src/money/case_actions.c \
	src/money/case_close.c \
	src/money/case_list.c \
	src/money/case_money.c \
	src/money/case_sweep.c \
	src/money/code.c src/money/code.h src/money/code_internal.h \
	src/money/code_actions.c \
	src/money/code_ask.c \
	src/money/code_end.c \
	src/money/code_row.c \
	src/money/code_settle.c \
	src/money/notice.c src/money/notice.h \
	src/money/owed.c \
	src/money/pay.c src/money/pay.h src/money/pay_internal.h \
	src/money/pay_take.c \
	src/money/price.c src/money/price.h \
	src/money/print.c src/money/print.h src/money/print_internal.h \
	src/money/print_actions.c \
	src/money/print_payment.c \
	src/money/print_queue.c \
	src/money/print_slip.c \
	src/money/refund.c \
	src/money/shift.c src/money/shift.h src/money/shift_internal.h \
	src/money/shift_actions.c \
	src/money/shift_close.c \
	src/money/shift_sum.c \
	src/money/square.c src/money/square.h \
	src/money/tender.c

check_PROGRAMS += tests/money/pay_test
tests_money_pay_test_SOURCES = tests/money/pay_test.c $(core_kit)
tests_money_pay_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_pay_test_LDADD = $(FD_HALL_LIBS)
check_PROGRAMS += tests/money/case_test tests/money/shift_test
tests_money_case_test_SOURCES = tests/money/case_test.c $(core_kit) tests/fault/sound.c tests/fault/sound.h
tests_money_case_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_case_test_LDADD = $(cli_test_libs)
tests_money_shift_test_SOURCES = tests/money/shift_test.c $(core_kit) tests/fault/sound.c tests/fault/sound.h
tests_money_shift_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_shift_test_LDADD = $(cli_test_libs)

check_PROGRAMS += tests/money/code_test tests/money/code_settle_test tests/money/code_end_test
check_PROGRAMS += tests/money/code_dead_test tests/money/case_end_test
code_kit = tests/money/code_kit.c tests/money/code_kit.h $(core_kit) tests/fault/sound.c tests/fault/sound.h \
	$(FD_SANDBOX_KIT)
tests_money_code_test_SOURCES = tests/money/code_test.c $(code_kit)
tests_money_code_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_code_test_LDADD = $(cli_test_libs)
tests_money_code_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk-sandbox$(EXEEXT)
tests_money_code_settle_test_SOURCES = tests/money/code_settle_test.c $(code_kit)
tests_money_code_settle_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_code_settle_test_LDADD = $(cli_test_libs)
tests_money_code_settle_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk-sandbox$(EXEEXT)
tests_money_case_end_test_SOURCES = tests/money/case_end_test.c $(code_kit)
tests_money_case_end_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_case_end_test_LDADD = $(cli_test_libs)
tests_money_case_end_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk-sandbox$(EXEEXT)
tests_money_code_dead_test_SOURCES = tests/money/code_dead_test.c $(code_kit)
tests_money_code_dead_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_code_dead_test_LDADD = $(cli_test_libs)
tests_money_code_dead_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk-sandbox$(EXEEXT)
tests_money_code_end_test_SOURCES = tests/money/code_end_test.c $(code_kit)
tests_money_code_end_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_code_end_test_LDADD = $(cli_test_libs)
tests_money_code_end_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk-sandbox$(EXEEXT)

check_PROGRAMS += tests/money/print_test
tests_money_print_test_SOURCES = tests/money/print_test.c $(core_kit)
tests_money_print_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_print_test_LDADD = libfdpicture.a $(FD_HALL_LIBS)
CLEANFILES += tests/money/*.pgm

check_PROGRAMS += tests/money/approval_test tests/money/back_test tests/money/price_test
back_kit = $(core_kit) tests/fault/sound.c tests/fault/sound.h $(FD_SANDBOX_KIT)
tests_money_approval_test_SOURCES = tests/money/approval_test.c $(back_kit)
tests_money_approval_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_approval_test_LDADD = $(cli_test_libs)
tests_money_back_test_SOURCES = tests/money/back_test.c $(back_kit)
tests_money_back_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_back_test_LDADD = $(cli_test_libs)
tests_money_back_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk-sandbox$(EXEEXT)
tests_money_price_test_SOURCES = tests/money/price_test.c $(back_kit)
tests_money_price_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_price_test_LDADD = $(cli_test_libs)
tests_money_price_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk-sandbox$(EXEEXT)

check_PROGRAMS += tests/cli/code_test
tests_cli_code_test_SOURCES = tests/cli/code_test.c $(cli_test_common) $(FD_SANDBOX_KIT)
tests_cli_code_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_code_test_LDADD = $(cli_test_libs)
tests_cli_code_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT) frontdesk-sandbox$(EXEEXT)
