# Files of this floor; included by the root Makefile.am.
noinst_LIBRARIES += libfdoutside.a
libfdoutside_a_SOURCES = \
	src/outside/qr.c src/outside/qr.h \
	src/outside/tree.c src/outside/tree.h

# What a program that links libfdoutside.a needs behind it.
FD_OUTSIDE_LIBS = $(JANSSON_LIBS) $(QRENCODE_LIBS) $(PNG_LIBS)
