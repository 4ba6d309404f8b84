# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdcli.a
libfdcli_a_SOURCES = \
	src/cli/backup.c \
	src/cli/cli.c src/cli/cli.h \
	src/cli/complete.c \
	src/cli/demo.c src/cli/demo.h \
	src/cli/demo_data.c \
	src/cli/demo_play.c \
	src/cli/doctor.c src/cli/doctor.h \
	src/cli/flags.c src/cli/flags.h \
	src/cli/help.c \
	src/cli/report.c \
	src/cli/server_actions.c \
	src/cli/signin.c
nodist_libfdcli_a_SOURCES = src/cli/doctor_rules.c

# The invariants are part of the program.
doctor_files = \
	$(srcdir)/sql/doctor/01_stock_adds_up.sql \
	$(srcdir)/sql/doctor/02_stock_in_range.sql \
	$(srcdir)/sql/doctor/03_one_order_per_slot.sql \
	$(srcdir)/sql/doctor/05_order_matches_slot.sql \
	$(srcdir)/sql/doctor/06_slots_do_not_overlap.sql \
	$(srcdir)/sql/doctor/07_amount_adds_up.sql \
	$(srcdir)/sql/doctor/08_no_hold_runs_over.sql \
	$(srcdir)/sql/doctor/23_order_money.sql \
	$(srcdir)/sql/doctor/24_allocations.sql \
	$(srcdir)/sql/doctor/25_paid_orders_are_paid.sql \
	$(srcdir)/sql/doctor/26_money_has_an_order.sql \
	$(srcdir)/sql/doctor/27_codes_are_asked.sql \
	$(srcdir)/sql/doctor/28_drawer_adds_up.sql \
	$(srcdir)/sql/doctor/29_refunds_within_payment.sql \
	$(srcdir)/sql/doctor/30_refund_goes_back.sql \
	$(srcdir)/sql/doctor/31_refund_is_approved.sql \
	$(srcdir)/sql/doctor/32_refunds_end.sql \
	$(srcdir)/sql/doctor/33_logged_stock.sql \
	$(srcdir)/sql/doctor/34_path_of_states.sql \
	$(srcdir)/sql/doctor/35_changes_are_logged.sql \
	$(srcdir)/sql/doctor/37_requests_have_rows.sql \
	$(srcdir)/sql/doctor/40_times.sql \
	$(srcdir)/sql/doctor/41_no_orphans.sql
EXTRA_DIST += tools/doctor.awk $(doctor_files)
CLEANFILES += src/cli/doctor_rules.c
src/cli/doctor_rules.c: $(doctor_files) $(srcdir)/tools/doctor.awk
	$(AM_V_GEN)$(MKDIR_P) src/cli && \
	$(AWK) -f $(srcdir)/tools/doctor.awk $(doctor_files) >$@.tmp && mv $@.tmp $@

# What a program that links all floors below ui needs; libmicrohttpd is loaded where it is needed.
FD_FLOORS = libfdcli.a libfdjobs.a libfdvenue.a libfdmoney.a libfdcore.a libfdoutside.a libfddb.a libfdbase.a
FD_FLOOR_LIBS = $(FD_DB_LIBS) $(FD_CORE_LIBS) $(FD_OUTSIDE_LIBS) $(FD_BASE_LIBS)

bin_PROGRAMS += frontdesk
frontdesk_SOURCES = src/main.c src/console.h
frontdesk_LDADD = libfdview.a $(FD_UI_FLOORS) $(FD_FLOORS) $(FD_TERM_LIBS) $(FD_FLOOR_LIBS)

# Completion is printed by the program itself, so that it cannot differ from its tables.
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = completions/frontdesk
CLEANFILES += completions/frontdesk
completions/frontdesk: frontdesk$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) completions && ./frontdesk$(EXEEXT) completion bash >$@.tmp && mv $@.tmp $@

check_PROGRAMS += tests/cli/actions_test tests/cli/cli_test tests/cli/desk_test tests/cli/doctor_test tests/cli/list_test tests/cli/faked_test tests/cli/online_test \
	tests/cli/words_test \
	tests/cli/race_test
cli_test_common = tests/cli/program.c tests/cli/program.h
cli_test_libs_own = libfdtest.a $(FD_FLOORS)
cli_test_libs = $(cli_test_libs_own) $(FD_FLOOR_LIBS) $(CMOCKA_LIBS)
tests_cli_actions_test_SOURCES = tests/cli/actions_test.c tests/cli/samples.c tests/cli/samples.h $(cli_test_common) \
	$(FD_SANDBOX_KIT)
tests_cli_actions_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk-sandbox$(EXEEXT)
tests_cli_actions_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_actions_test_LDADD = $(cli_test_libs)
tests_cli_cli_test_SOURCES = tests/cli/cli_test.c $(cli_test_common)
tests_cli_cli_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_cli_test_LDADD = $(cli_test_libs)
# They run the program itself.
tests_cli_cli_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)
tests_cli_desk_test_SOURCES = tests/cli/desk_test.c $(cli_test_common)
tests_cli_desk_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_desk_test_LDADD = $(cli_test_libs)
tests_cli_desk_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)
tests_cli_doctor_test_SOURCES = tests/cli/doctor_test.c
tests_cli_doctor_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_doctor_test_LDADD = $(cli_test_libs)
tests_cli_faked_test_SOURCES = tests/cli/faked_test.c $(cli_test_common)
tests_cli_faked_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_faked_test_LDADD = $(cli_test_libs)
tests_cli_faked_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)
tests_cli_list_test_SOURCES = tests/cli/list_test.c $(cli_test_common)
tests_cli_list_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_list_test_LDADD = $(cli_test_libs)
tests_cli_list_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)
tests_cli_online_test_SOURCES = tests/cli/online_test.c $(cli_test_common)
tests_cli_online_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_online_test_LDADD = $(cli_test_libs)
tests_cli_online_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)
tests_cli_words_test_SOURCES = tests/cli/words_test.c $(cli_test_common)
tests_cli_words_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_words_test_LDADD = $(cli_test_libs)
tests_cli_words_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)
tests_cli_race_test_SOURCES = tests/cli/race_test.c $(cli_test_common)
tests_cli_race_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_race_test_LDADD = $(cli_test_libs)

TESTS += tests/cli/demo.sh
EXTRA_DIST += demo tests/cli/demo.sh
check_PROGRAMS += tests/cli/demo_test
tests_cli_demo_test_SOURCES = tests/cli/demo_test.c $(cli_test_common)
tests_cli_demo_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_demo_test_LDADD = $(cli_test_libs)
tests_cli_demo_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)

if TERMINAL_TESTS
check_PROGRAMS += tests/cli/prompt_test
tests_cli_prompt_test_SOURCES = tests/cli/prompt_test.c $(cli_test_common)
tests_cli_prompt_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_cli_prompt_test_LDADD = $(cli_test_libs)
tests_cli_prompt_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)
endif
