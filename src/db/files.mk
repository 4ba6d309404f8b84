# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfddb.a
libfddb_a_SOURCES = \
	src/db/connect.c src/db/db.h src/db/db_internal.h \
	src/db/fetch.c \
	src/db/migrate.c src/db/migrate.h src/db/migrate_internal.h \
	src/db/migrate_expect.c \
	src/db/migrate_fit.c \
	src/db/migrate_step.c \
	src/db/option_file.c src/db/option_file.h \
	src/db/query.c \
	src/db/rows.c \
	src/db/server.c src/db/server.h src/db/server_internal.h \
	src/db/server_process.c \
	src/db/session.c \
	src/db/sqlerror.c \
	src/db/statement.c \
	src/db/txn.c
nodist_libfddb_a_SOURCES = migrations.c
libfddb_a_CPPFLAGS = $(AM_CPPFLAGS) $(DBCLIENT_CFLAGS)

# What a program that links libfddb.a (and libfdbase.a after it) needs behind them.
FD_DB_LIBS = $(DBCLIENT_LIBS)

# The migrations are part of the program.
migration_files = \
	sql/migrations/0001_online.sql \
	sql/migrations/0002_desk.sql \
	sql/migrations/0003_money.sql \
	sql/migrations/0004_once.sql
migrations.c: $(migration_files) tools/embed
	$(AM_V_GEN)cd $(srcdir) && sh tools/embed db/migrate.h migration migrations $(migration_files) \
		> $(abs_builddir)/$@.tmp && mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@
CLEANFILES += migrations.c
EXTRA_DIST += $(migration_files)

check_PROGRAMS += tests/db/text_test tests/db/rows_test tests/db/fault_test \
	tests/db/server_test tests/db/group_test tests/db/migrate_test tests/db/teeth_test tests/db/tls_test
db_test_cppflags = $(FD_TEST_CPPFLAGS) $(DBCLIENT_CFLAGS)
db_test_libs = libfdtest.a $(FD_TEST_LIBS)
tests_db_text_test_SOURCES = tests/db/text_test.c
tests_db_text_test_CPPFLAGS = $(db_test_cppflags)
tests_db_text_test_LDADD = $(db_test_libs)
tests_db_rows_test_SOURCES = tests/db/rows_test.c
tests_db_rows_test_CPPFLAGS = $(db_test_cppflags)
tests_db_rows_test_LDADD = $(db_test_libs)
tests_db_fault_test_SOURCES = tests/db/fault_test.c
tests_db_fault_test_CPPFLAGS = $(db_test_cppflags)
tests_db_fault_test_LDADD = $(db_test_libs)
tests_db_server_test_SOURCES = tests/db/server_test.c
tests_db_server_test_CPPFLAGS = $(db_test_cppflags)
tests_db_server_test_LDADD = $(db_test_libs)
tests_db_group_test_SOURCES = tests/db/group_test.c
tests_db_group_test_CPPFLAGS = $(db_test_cppflags)
tests_db_group_test_LDADD = $(db_test_libs)
tests_db_migrate_test_SOURCES = tests/db/migrate_test.c
tests_db_migrate_test_CPPFLAGS = $(db_test_cppflags)
tests_db_migrate_test_LDADD = $(db_test_libs)
# Injected errors in any build: these files stand before the libraries that have them without.
tests_db_teeth_test_SOURCES = tests/db/teeth_test.c src/base/fault.c src/base/mem.c src/db/statement.c src/db/txn.c
tests_db_teeth_test_CPPFLAGS = $(db_test_cppflags) -UFD_TEETH -DFD_TEETH=1
tests_db_teeth_test_LDADD = $(db_test_libs)
tests_db_tls_test_SOURCES = tests/db/tls_test.c
tests_db_tls_test_CPPFLAGS = $(db_test_cppflags)
tests_db_tls_test_LDADD = $(db_test_libs)
