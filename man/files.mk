# The manual. Parts of its pages come from the program's tables: `make manual` writes them anew into
# the source folder (maintainers only), tests/docs/docs_test.sh fails where they differ.
man_pages = man/frontdesk.1 man/frontdesk-sandbox.1 man/frontdesk.conf.5 man/frontdesk-schema.7 \
	man/frontdesk-notify.8 man/frontdesk-worker.8
dist_man_MANS = $(man_pages)
# README is distributed by automake itself.
EXTRA_DIST += HACKING demo man/refresh.sh tests/docs/docs_test.sh tests/docs/commands.awk

# Prints those parts; not a test itself.
EXTRA_PROGRAMS += tests/docs/manual
check_DATA += tests/docs/manual$(EXEEXT)
CLEANFILES += tests/docs/manual$(EXEEXT)
tests_docs_manual_SOURCES = tests/docs/manual.c tests/docs/mdoc.c tests/docs/mdoc.h
tests_docs_manual_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests
tests_docs_manual_LDADD = libfdview.a $(FD_UI_FLOORS) $(FD_FLOORS) $(FD_TERM_LIBS) $(FD_FLOOR_LIBS)

.PHONY: manual
manual: tests/docs/manual$(EXEEXT)
	for page in $(man_pages); do \
	  $(srcdir)/man/refresh.sh tests/docs/manual$(EXEEXT) $(srcdir)/$$page >manual.tmp && \
	  { cmp -s manual.tmp $(srcdir)/$$page || cp manual.tmp $(srcdir)/$$page; } || exit 1; \
	done; rm -f manual.tmp

TESTS += tests/docs/docs_test.sh
