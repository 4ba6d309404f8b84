# Messages. The catalogue is built to locale/ beside the program, so that an uninstalled build
# speaks Chinese too, and installed from there. `make messages` reads the sources anew into
# po/zh_CN.po (maintainers only; changes the source folder).
EXTRA_DIST += po/zh_CN.po
PO_FLAGS = --from-code=UTF-8 --language=C --keyword=_ --keyword=N_ --keyword=C_:1c,2 --keyword=NC_:1c,2 \
	--keyword=ngettext:1,2 --add-comments=TRANSLATORS: --sort-by-file --add-location=file --package-name=frontdesk \
	--no-wrap --foreign-user --copyright-holder=
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
	cd $(srcdir) && awk -F"\t" 'FNR > 1 {printf "N_(\"%s\")\n", $$6}' sql/rules/*.tsv > po/rules.tmp.c && { find src ui -name '*.[ch]' | LC_ALL=C sort; echo po/rules.tmp.c; } > po/sources.tmp && \
	$(XGETTEXT) $(PO_FLAGS) -o po/frontdesk.pot -f po/sources.tmp && rm po/sources.tmp po/rules.tmp.c && \
	sed -i '/^"POT-Creation-Date/d' po/frontdesk.pot && \
	if [ -f po/zh_CN.po ]; then msgmerge -q --no-wrap --no-fuzzy-matching --backup=none -U po/zh_CN.po po/frontdesk.pot; \
	else msginit --no-translator --no-wrap -l zh_CN.UTF-8 -i po/frontdesk.pot -o po/zh_CN.po; fi
