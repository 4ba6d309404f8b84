#!/bin/sh
# refresh.sh PROGRAM PAGE: prints the page with the parts that hold the program's tables made anew. PROGRAM is
# tests/docs/manual of the build.
set -eu
program=$1
page=$2
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
for part in $(sed -n 's/^\.\\" from the tables: \([a-z]*\) .*/\1/p' "$page"); do
    "$program" "$part" >"$parts/$part"
    [ -s "$parts/$part" ]
done
awk -v parts="$parts" '
    /^\.\\" from the tables: / {
        print
        file = parts "/" $5
        while ((getline line < file) > 0)
            print line
        close(file)
        made = 1
        next
    }
    /^\.\\" end$/ { made = 0 }
    !made { print }
' "$page"
