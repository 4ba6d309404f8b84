/* Text of the program as mdoc(7) source, on standard output. */
#ifndef FD_TEST_DOCS_MDOC_H
#define FD_TEST_DOCS_MDOC_H

/* Text lines: what roff would take as a request or an escape is made plain, each sentence begins a line. */
void mdoc_text(const char *text);
/* A fragment ("list the slots of a day") as a sentence: capital, full stop. */
void mdoc_sentence(const char *text);
/* ".It" with one argument that holds blanks and signs: keys, a command's form. */
void mdoc_item(const char *text);

#endif
