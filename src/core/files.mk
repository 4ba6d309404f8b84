# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdcore.a
libfdcore_a_SOURCES = \
	src/core/action.c src/core/action.h src/core/action_tables.h \
	src/core/call.c \
	src/core/call_print.c \
	src/core/core_actions.c \
	src/core/customer.c src/core/customer.h \
	src/core/customer_actions.c \
	src/core/customer_find.c \
	src/core/desk.c src/core/desk.h \
	src/core/logbook.c src/core/logbook.h \
	src/core/op.c src/core/op.h src/core/op_internal.h \
	src/core/op_end.c \
	src/core/operator.c src/core/operator.h \
	src/core/order.c src/core/order.h \
	src/core/order_fire.c \
	src/core/order_story.c \
	src/core/param.c src/core/param.h \
	src/core/password.c src/core/password.h \
	src/core/rule.c src/core/rule.h src/core/rule_internal.h \
	src/core/rule_db.c \
	src/core/sign_in.c
nodist_libfdcore_a_SOURCES = src/core/rules_table.c

FD_RULES = $(srcdir)/sql/rules/venue_order.tsv
EXTRA_DIST += tools/rules.awk sql/rules/venue_order.tsv
CLEANFILES += src/core/rules_table.c
src/core/rules_table.c: $(FD_RULES) $(srcdir)/tools/rules.awk
	$(AM_V_GEN)$(MKDIR_P) src/core && \
	$(AWK) -f $(srcdir)/tools/rules.awk $(FD_RULES) >$@.tmp && mv $@.tmp $@

# What a program that links libfdcore.a needs behind it.
FD_CORE_LIBS = $(CRYPT_LIBS)

# Tests of this floor and of src/money use real venue orders: they link all floors up to src/venue.
FD_HALL_LIBS = libfdtest.a libfdvenue.a libfdmoney.a libfdcore.a libfdoutside.a libfddb.a libfdbase.a \
	$(FD_CORE_LIBS) $(FD_OUTSIDE_LIBS) $(FD_DB_LIBS) $(FD_BASE_LIBS) $(CMOCKA_LIBS)
TESTS += tests/core/rules.sh
EXTRA_DIST += tests/core/rules.sh
core_kit = tests/core/kit.c tests/core/kit.h
check_PROGRAMS += tests/core/call_test tests/core/desk_test tests/core/op_test tests/core/people_test
tests_core_desk_test_SOURCES = tests/core/desk_test.c $(core_kit)
tests_core_desk_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_core_desk_test_LDADD = $(FD_HALL_LIBS)
tests_core_call_test_SOURCES = tests/core/call_test.c $(core_kit)
tests_core_call_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_core_call_test_LDADD = $(FD_HALL_LIBS)
tests_core_op_test_SOURCES = tests/core/op_test.c $(core_kit)
tests_core_op_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_core_op_test_LDADD = $(FD_HALL_LIBS)
tests_core_people_test_SOURCES = tests/core/people_test.c $(core_kit)
tests_core_people_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_core_people_test_LDADD = $(FD_HALL_LIBS)
