#!/bin/sh
# Writes every message of the sources, of the state rules and of the invariants' titles as a
# template: extract.sh SOURCE-FOLDER OUTPUT.pot. `make messages` and the test of the catalogue
# both use it, so that they never disagree about what a message is.
set -eu
output=$(realpath -m "$2")
cd "$1"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mkdir "$made/sql"

quote='function quoted(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); return "\"" text "\"" }'
awk -F'\t' "$quote"' FNR > 1 {print "N_(" quoted($6) ")"}' sql/rules/*.tsv >"$made/sql/rules.c"
awk "$quote"' sub(/^-- @title /, "") {print "N_(" quoted($0) ")"}' sql/doctor/*.sql >"$made/sql/doctor.c"
{
    find src ui -name '*.[ch]' | LC_ALL=C sort
    printf '%s\n' sql/doctor.c sql/rules.c
} >"$made/list"

"${XGETTEXT:-xgettext}" --from-code=UTF-8 --language=C --keyword=_ --keyword=N_ --keyword=C_:1c,2 \
    --keyword=NC_:1c,2 --keyword=ngettext:1,2 --add-comments=TRANSLATORS: --sort-by-file \
    --add-location=file --package-name=frontdesk --no-wrap --foreign-user --copyright-holder= \
    -D . -D "$made" -f "$made/list" -o "$output"
sed -i '/^"POT-Creation-Date/d' "$output"
