# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdmoney.a
libfdmoney_a_SOURCES = \
	src/money/owed.c \
	src/money/pay.c src/money/pay.h src/money/pay_internal.h \
	src/money/pay_take.c \
	src/money/refund.c \
	src/money/tender.c
