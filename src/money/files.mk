# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdmoney.a
libfdmoney_a_SOURCES = \
	src/money/case.c src/money/case.h src/money/case_internal.h \
	src/money/owed.c \
	src/money/pay.c src/money/pay.h src/money/pay_internal.h \
	src/money/pay_take.c \
	src/money/refund.c \
	src/money/shift.c src/money/shift.h src/money/shift_internal.h \
	src/money/shift_close.c \
	src/money/shift_sum.c \
	src/money/tender.c

check_PROGRAMS += tests/money/pay_test
tests_money_pay_test_SOURCES = tests/money/pay_test.c $(core_kit)
tests_money_pay_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_money_pay_test_LDADD = $(FD_HALL_LIBS)
