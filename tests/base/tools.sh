#!/bin/sh
# tools/embed: whole text, fixed order, an error where a file is missing.
set -u
top=${srcdir:-.}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0
tell() {
    if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "not so: $1"; fi
}

printf 'SELECT "a\\n" -- 中文 \\\\ ??=\t%%s\n\nlast line, no newline' >"$folder/0002_b.sql"
printf 'first;\n' >"$folder/0010_a.sql"
: >"$folder/empty.sql"
printf 'struct row { int number; const char *name, *text; };\n' >"$folder/row.h"
sh "$top/tools/embed" row.h row rows "$folder/empty.sql" "$folder/0010_a.sql" "$folder/0002_b.sql" >"$folder/one.c"
tell 'it makes a source' $?
sh "$top/tools/embed" row.h row rows "$folder/0002_b.sql" "$folder/empty.sql" "$folder/0010_a.sql" | cmp -s - "$folder/one.c"
tell 'the order of the arguments makes no difference' $?

cat >"$folder/print.c" <<'C'
#include <stdio.h>
#include "one.c"
int main(void)
{
    for (const struct row *row = rows; row->name; row++)
        printf("%d %s\n%s", row->number, row->name, row->text);
    return 0;
}
C
# CC may carry flags.
# shellcheck disable=SC2086
${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -I"$folder" -o "$folder/print" "$folder/print.c"
tell 'the source compiles without a warning' $?
{
    echo '2 0002_b'
    cat "$folder/0002_b.sql"
    echo
    echo '10 0010_a'
    cat "$folder/0010_a.sql"
    echo '0 empty'
} >"$folder/expected"
"$folder/print" | cmp - "$folder/expected"
tell 'the program carries the files byte for byte' $?

! sh "$top/tools/embed" row.h row rows "$folder/missing.sql" >/dev/null 2>&1
tell 'a missing file is an error' $?

[ "$failed" -eq 0 ] && echo "[  PASSED  ] $passed test(s)." || echo "[  FAILED  ] $failed test(s)."
[ "$failed" -eq 0 ]
