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
