# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdoutside.a
libfdoutside_a_SOURCES = \
	src/outside/alipay.c src/outside/alipay_internal.h \
	src/outside/alipay_call.c \
	src/outside/alipay_notice.c \
	src/outside/alipay_text.c \
	src/outside/channel.c src/outside/channel.h src/outside/channel_internal.h \
	src/outside/channel_file.c \
	src/outside/channel_text.c \
	src/outside/crypto.c src/outside/crypto.h src/outside/crypto_internal.h \
	src/outside/crypto_key.c \
	src/outside/document.c src/outside/document.h src/outside/document_internal.h \
	src/outside/document_lay.c \
	src/outside/escpos.c \
	src/outside/http.c src/outside/http.h \
	src/outside/printer.c \
	src/outside/printer_internal.h \
	src/outside/printer_lp.c \
	src/outside/printer_net.c \
	src/outside/qr.c src/outside/qr.h \
	src/outside/tree.c src/outside/tree.h \
	src/outside/wechat.c src/outside/wechat_internal.h \
	src/outside/wechat_call.c \
	src/outside/wechat_notice.c

# What a program that links libfdoutside.a needs behind it; libcurl is loaded where it is needed (src/base/late.h).
FD_OUTSIDE_LIBS = $(JANSSON_LIBS) $(CRYPTO_LIBS) $(QRENCODE_LIBS) $(PNG_LIBS)

check_PROGRAMS += tests/outside/document_test tests/outside/printer_test
outside_test_cppflags = $(AM_CPPFLAGS) -I$(srcdir)/tests $(CMOCKA_CFLAGS)
outside_test_libs = libfdpicture.a libfdoutside.a libfdbase.a $(FD_OUTSIDE_LIBS) $(FD_BASE_LIBS) $(CMOCKA_LIBS)
tests_outside_document_test_SOURCES = tests/outside/document_test.c $(base_test_common)
tests_outside_document_test_CPPFLAGS = $(outside_test_cppflags)
tests_outside_document_test_LDADD = $(outside_test_libs)
tests_outside_printer_test_SOURCES = tests/outside/printer_test.c $(base_test_common)
tests_outside_printer_test_CPPFLAGS = $(outside_test_cppflags)
tests_outside_printer_test_LDADD = $(outside_test_libs) -lpthread
# Pictures that the tests keep for looking at.
CLEANFILES += tests/outside/*.pgm

check_PROGRAMS += tests/outside/account_test tests/outside/channel_sandbox_test tests/outside/crypto_test tests/outside/fuzz_test \
	tests/outside/http_test tests/outside/notice_test
outside_merchant = tests/outside/merchant.c tests/outside/merchant.h
tests_outside_crypto_test_SOURCES = tests/outside/crypto_test.c tests/outside/vectors.h $(base_test_common)
tests_outside_crypto_test_CPPFLAGS = $(outside_test_cppflags)
tests_outside_crypto_test_LDADD = $(channel_test_libs)
tests_outside_account_test_SOURCES = tests/outside/account_test.c $(outside_merchant) $(base_test_common)
tests_outside_account_test_CPPFLAGS = $(outside_test_cppflags)
tests_outside_account_test_LDADD = $(channel_test_libs)
tests_outside_channel_sandbox_test_SOURCES = tests/outside/channel_sandbox_test.c tests/sandbox/kit.c tests/sandbox/kit.h \
	tests/support/sandbox.c tests/support/sandbox.h $(base_test_common)
tests_outside_channel_sandbox_test_CPPFLAGS = $(outside_test_cppflags)
tests_outside_channel_sandbox_test_LDADD = $(channel_test_libs)
EXTRA_tests_outside_channel_sandbox_test_DEPENDENCIES = frontdesk-sandbox$(EXEEXT)
tests_outside_fuzz_test_SOURCES = tests/outside/fuzz_test.c $(outside_merchant) $(base_test_common) \
	tests/fault/tally.c tests/fault/tally.h
tests_outside_fuzz_test_CPPFLAGS = $(outside_test_cppflags)
tests_outside_fuzz_test_LDADD = $(channel_test_libs)
tests_outside_http_test_SOURCES = tests/outside/http_test.c $(outside_merchant) $(base_test_common)
tests_outside_http_test_CPPFLAGS = $(outside_test_cppflags)
tests_outside_http_test_LDADD = $(channel_test_libs) -lssl -lpthread
tests_outside_notice_test_SOURCES = tests/outside/notice_test.c tests/outside/vectors.h $(outside_merchant) \
	$(base_test_common)
tests_outside_notice_test_CPPFLAGS = $(outside_test_cppflags)
tests_outside_notice_test_LDADD = $(channel_test_libs)
channel_test_libs = libfdoutside.a libfdbase.a $(FD_OUTSIDE_LIBS) $(FD_BASE_LIBS) $(CMOCKA_LIBS)
