# What test programs share: a private server of their own, a proxy that cuts COMMIT.
check_LIBRARIES += libfdtest.a
libfdtest_a_SOURCES = \
	tests/support/fixture.c tests/support/fixture.h \
	tests/support/proxy.c tests/support/proxy.h
libfdtest_a_CPPFLAGS = $(AM_CPPFLAGS) $(DBCLIENT_CFLAGS) $(CMOCKA_CFLAGS)

# For x_LDADD = libfdtest.a <floors above db> $(FD_TEST_LIBS); x_CPPFLAGS = $(FD_TEST_CPPFLAGS).
FD_TEST_LIBS = libfddb.a libfdbase.a $(FD_DB_LIBS) $(FD_BASE_LIBS) $(CMOCKA_LIBS)
FD_TEST_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests $(CMOCKA_CFLAGS)

# Pictures, and a printer that draws them; no database.
check_LIBRARIES += libfdpicture.a
libfdpicture_a_SOURCES = \
	tests/support/paper.c tests/support/paper.h \
	tests/support/picture.c tests/support/picture.h
libfdpicture_a_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/tests $(CMOCKA_CFLAGS)
