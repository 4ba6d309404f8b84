# Messages. The catalogue is built to locale/ beside the program, so that an uninstalled build
# speaks Chinese too, and installed from there. `make messages` reads the sources anew into
# po/zh_CN.po (maintainers only; changes the source folder).
EXTRA_DIST += po/zh_CN.po po/extract.sh
po_mo = locale/zh_CN/LC_MESSAGES/frontdesk.mo

$(po_mo): $(srcdir)/po/zh_CN.po
	$(AM_V_GEN)$(MKDIR_P) locale/zh_CN/LC_MESSAGES && $(MSGFMT) -c -o $@ $(srcdir)/po/zh_CN.po

all-local: $(po_mo)
CLEANFILES += $(po_mo)

install-data-local: $(po_mo)
	$(MKDIR_P) "$(DESTDIR)$(localedir)/zh_CN/LC_MESSAGES"
	$(INSTALL_DATA) $(po_mo) "$(DESTDIR)$(localedir)/zh_CN/LC_MESSAGES/frontdesk.mo"
uninstall-local:
	rm -f "$(DESTDIR)$(localedir)/zh_CN/LC_MESSAGES/frontdesk.mo"

.PHONY: messages
messages:
	XGETTEXT='$(XGETTEXT)' $(srcdir)/po/extract.sh $(srcdir) $(srcdir)/po/frontdesk.pot
	cd $(srcdir) && if [ -f po/zh_CN.po ]; then \
	msgmerge -q --no-wrap --no-fuzzy-matching --backup=none -U po/zh_CN.po po/frontdesk.pot && \
	msgattrib --no-wrap --no-obsolete -o po/zh_CN.po po/zh_CN.po; \
	else msginit --no-translator --no-wrap -l zh_CN.UTF-8 -i po/frontdesk.pot -o po/zh_CN.po; fi

check_PROGRAMS += tests/po/words_test
tests_po_words_test_SOURCES = tests/po/words_test.c $(base_test_common)
tests_po_words_test_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests $(CMOCKA_CFLAGS)
tests_po_words_test_LDADD = $(base_test_libs)
TESTS += tests/po/po_test.sh
EXTRA_DIST += tests/po/po_test.sh
