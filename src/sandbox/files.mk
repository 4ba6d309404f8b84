# Files of this floor; included by the root Makefile.am. A program of its own: it speaks to frontdesk over HTTP only.
bin_PROGRAMS += frontdesk-sandbox
sandbox_files = \
	src/sandbox/alipay.c src/sandbox/alipay.h \
	src/sandbox/alipay_deal.c \
	src/sandbox/box.c src/sandbox/box.h \
	src/sandbox/command.c src/sandbox/command.h src/sandbox/command_internal.h \
	src/sandbox/command_books.c \
	src/sandbox/control.c src/sandbox/control.h \
	src/sandbox/deal.c src/sandbox/deal.h \
	src/sandbox/fault.c src/sandbox/fault.h \
	src/sandbox/keys.c src/sandbox/keys.h \
	src/sandbox/main.c \
	src/sandbox/notify.c src/sandbox/notify.h \
	src/sandbox/serve.c src/sandbox/serve.h src/sandbox/serve_internal.h \
	src/sandbox/serve_http.c \
	src/sandbox/web.c src/sandbox/web.h \
	src/sandbox/wechat.c src/sandbox/wechat.h \
	src/sandbox/wechat_deal.c \
	src/sandbox/wechat_sign.c
frontdesk_sandbox_SOURCES = $(sandbox_files)
frontdesk_sandbox_LDADD = libfdoutside.a libfdbase.a $(FD_OUTSIDE_LIBS) $(MICROHTTPD_LIBS) $(FD_BASE_LIBS)

# For programs that test against it: its folder's channels.conf names it to frontdesk.
FD_SANDBOX_KIT = tests/support/sandbox.c tests/support/sandbox.h
check_PROGRAMS += tests/sandbox/alipay_test tests/sandbox/notify_test tests/sandbox/wechat_test
sandbox_kit = tests/sandbox/kit.c tests/sandbox/kit.h $(FD_SANDBOX_KIT) $(base_test_common)
sandbox_kit_libs_own = libfdoutside.a libfdbase.a
sandbox_kit_libs = $(sandbox_kit_libs_own) $(FD_OUTSIDE_LIBS) $(FD_BASE_LIBS) $(CMOCKA_LIBS)
tests_sandbox_wechat_test_SOURCES = tests/sandbox/wechat_test.c $(sandbox_kit)
tests_sandbox_wechat_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_sandbox_wechat_test_LDADD = $(sandbox_kit_libs)
tests_sandbox_wechat_test_DEPENDENCIES = $(sandbox_kit_libs_own) frontdesk-sandbox$(EXEEXT)
tests_sandbox_alipay_test_SOURCES = tests/sandbox/alipay_test.c $(sandbox_kit)
tests_sandbox_alipay_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_sandbox_alipay_test_LDADD = $(sandbox_kit_libs)
tests_sandbox_alipay_test_DEPENDENCIES = $(sandbox_kit_libs_own) frontdesk-sandbox$(EXEEXT)
tests_sandbox_notify_test_SOURCES = tests/sandbox/notify_test.c $(sandbox_kit)
tests_sandbox_notify_test_CPPFLAGS = $(FD_TEST_CPPFLAGS)
tests_sandbox_notify_test_LDADD = $(sandbox_kit_libs)
tests_sandbox_notify_test_DEPENDENCIES = $(sandbox_kit_libs_own) frontdesk-sandbox$(EXEEXT)
