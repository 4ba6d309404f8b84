# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdjobs.a
libfdjobs_a_SOURCES = \
	src/jobs/actions.c \
	src/jobs/jobs.h \
	src/jobs/pass.c \
	src/jobs/worker.c

# The unit names the program where it is installed.
systemunitdir = $(prefix)/lib/systemd/system
systemunit_DATA = src/jobs/frontdesk-worker.service
EXTRA_DIST += src/jobs/frontdesk-worker.service.in
CLEANFILES += src/jobs/frontdesk-worker.service
src/jobs/frontdesk-worker.service: src/jobs/frontdesk-worker.service.in Makefile
	$(AM_V_GEN)$(MKDIR_P) src/jobs && \
	sed -e 's|@bindir[@]|$(bindir)|g' -e 's|@sysconfdir[@]|$(sysconfdir)|g' $(srcdir)/src/jobs/frontdesk-worker.service.in >$@.tmp && mv $@.tmp $@

check_PROGRAMS += tests/jobs/worker_test
tests_jobs_worker_test_SOURCES = tests/jobs/worker_test.c $(cli_test_common)
tests_jobs_worker_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_jobs_worker_test_LDADD = $(cli_test_libs)
tests_jobs_worker_test_DEPENDENCIES = $(cli_test_libs_own) frontdesk$(EXEEXT)
