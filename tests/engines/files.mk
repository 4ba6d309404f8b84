# make engines: the database tests on MySQL, fetched into a folder of the build. Not part of check.
EXTRA_DIST += tests/engines/engines.sh tests/engines/fetch.sh
.PHONY: engines
engines:
	$(srcdir)/tests/engines/engines.sh "$(abs_srcdir)" "$(abs_builddir)" \
		$(filter tests/db/% tests/core/% tests/money/% tests/venue/% tests/jobs/% tests/cli/%,$(filter-out %/tls_test %/prompt_test,$(check_PROGRAMS)))
