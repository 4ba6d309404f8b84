# Files of this floor; included by the root Makefile.am.
