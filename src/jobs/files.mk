# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdjobs.a
libfdjobs_a_SOURCES = \
	src/jobs/actions.c \
	src/jobs/jobs.h \
	src/jobs/notify.c src/jobs/notify.h \
	src/jobs/notify_one.c \
	src/jobs/notify_pool.c \
	src/jobs/pass.c \
	src/jobs/worker.c

# The units name the program where it is installed.
systemunitdir = $(prefix)/lib/systemd/system
systemunit_DATA = src/jobs/frontdesk-notify.service src/jobs/frontdesk-worker.service
EXTRA_DIST += src/jobs/frontdesk-notify.service.in src/jobs/frontdesk-worker.service.in
CLEANFILES += $(systemunit_DATA)
unit_made = $(AM_V_GEN)$(MKDIR_P) src/jobs && \
	sed -e 's|@bindir[@]|$(bindir)|g' -e 's|@sysconfdir[@]|$(sysconfdir)|g' $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
src/jobs/frontdesk-notify.service: src/jobs/frontdesk-notify.service.in Makefile
	$(unit_made)
src/jobs/frontdesk-worker.service: src/jobs/frontdesk-worker.service.in Makefile
	$(unit_made)

check_PROGRAMS += tests/jobs/worker_test
tests_jobs_worker_test_SOURCES = tests/jobs/worker_test.c $(cli_test_common) $(FD_SANDBOX_KIT)
tests_jobs_worker_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_jobs_worker_test_LDADD = $(cli_test_libs)
tests_jobs_worker_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT) frontdesk-sandbox$(EXEEXT)

check_PROGRAMS += tests/jobs/notify_test
tests_jobs_notify_test_SOURCES = tests/jobs/notify_test.c tests/outside/merchant.c tests/outside/merchant.h \
	tests/base/unit.c tests/base/unit.h $(cli_test_common)
tests_jobs_notify_test_CPPFLAGS = $(FD_TEST_CPPFLAGS) -I$(srcdir)/tests/outside
tests_jobs_notify_test_LDADD = $(cli_test_libs)
tests_jobs_notify_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)
