#!/bin/sh
# The catalogue is whole: its formats are sound, nothing is untranslated or fuzzy, and the sources
# have no message that it lacks. Prints what the suite counts.
set -u
top=${srcdir:-.}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0
skipped=0
tell() { # what, status
    if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "not so: $1"; fi
}
skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1"
}
has() { command -v "$1" >/dev/null 2>&1; }
msgfmt=${MSGFMT:-msgfmt}
xgettext=${XGETTEXT:-xgettext}
po=$top/po/zh_CN.po
LC_ALL=C
unset LANGUAGE
export LC_ALL

"$msgfmt" -c --statistics -o "$folder/zh_CN.mo" "$po" 2>"$folder/said"
tell "the catalogue compiles: $(cat "$folder/said")" $?
grep -q '^[0-9]* translated messages*\.$' "$folder/said"
tell "nothing is untranslated or fuzzy: $(cat "$folder/said")" $?
! grep -qE '^#(~|, .*fuzzy)' "$po"
tell 'no obsolete message is kept' $?
! grep -qE '/(home|root)/|https?://[A-Za-z0-9]' "$po"
tell 'it names no place of a machine' $?

# The keys (context and msgid) of a catalogue, one a line.
keys() {
    awk '
        function out() { if (id != "") print context "\t" id; context = id = plural = field = "" }
        /^$/ { out(); next }
        /^#/ { next }
        /^msgctxt / { field = "context" }
        /^msgid / { field = "id" }
        /^msgid_plural |^msgstr/ { field = "" }
        { text = $0; sub(/^[^"]*"/, "", text); sub(/"$/, "", text)
          if (field == "context") context = context text
          if (field == "id") id = id text }
        END { out() }' "$1" | sort
}
if has "$xgettext"; then
    XGETTEXT=$xgettext sh "$top/po/extract.sh" "$top" "$folder/now.pot" 2>"$folder/said"
    tell "the messages of the sources are found: $(cat "$folder/said")" $?
    keys "$folder/now.pot" >"$folder/now"
    keys "$po" >"$folder/then"
    [ "$(wc -l <"$folder/now")" -gt 500 ]
    tell 'there are messages to compare' $?
    missing=$(comm -23 "$folder/now" "$folder/then")
    [ -z "$missing" ]
    tell "messages that the catalogue lacks (make messages):
$missing" $?
    gone=$(comm -13 "$folder/now" "$folder/then")
    [ -z "$gone" ]
    tell "messages that no source has any more (make messages):
$gone" $?
else
    skip 'no xgettext here: the sources are not compared'
fi

[ "$skipped" -eq 0 ] || echo "[  SKIPPED ] $skipped test(s)."
[ "$failed" -eq 0 ] && echo "[  PASSED  ] $passed test(s)." || echo "[  FAILED  ] $failed test(s)."
[ "$failed" -eq 0 ]
