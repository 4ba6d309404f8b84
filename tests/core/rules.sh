#!/bin/sh
# tools/rules.awk: the project's rules make a table; a wrong set of rules makes the build fail.
set -u
top=${srcdir:-.}
awk=${AWK:-awk}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0
tell() {
    if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "not so: $1"; fi
}
head='from\tevent\tto\tactors\treason\ttext\n'

# refused NAME ROWS WORDS: these rows stop the build, and the message has the words.
refused() {
    printf "$head$2" >"$folder/kind.tsv"
    if "$awk" -f "$top/tools/rules.awk" "$folder/kind.tsv" >"$folder/out.c" 2>"$folder/said"; then
        tell "$1 is refused" 1
    else
        grep -q "kind.tsv:[0-9]*: .*$3" "$folder/said"
        tell "$1 is refused with its line" $?
    fi
}

"$awk" -f "$top/tools/rules.awk" "$top"/sql/rules/*.tsv >"$folder/rules.c"
tell 'the rules of the project make a table' $?
[ "$(grep -c '^    {"' "$folder/rules.c")" = "$(cat "$top"/sql/rules/*.tsv | grep -vc '^from	')" ]
tell 'it has every row' $?
printf "${head}A\tgo\tB\toperator,worker\tyes\tone\nB\tback\tA\tcustomer\tno\ttwo\n" >"$folder/kind.tsv"
"$awk" -f "$top/tools/rules.awk" "$folder/kind.tsv" | grep -q '{"kind", "A", "go", "B", 6, true, N_("one")},'
tell 'a row becomes a row' $?
refused 'a second move for the same state and event' 'A\tgo\tB\toperator\tno\tx\nA\tgo\tC\toperator\tno\tx\n' 'two moves for A go'
refused 'a state that nothing leads to' 'A\tgo\tB\toperator\tno\tx\nC\tgo\tD\toperator\tno\tx\n' 'no move leads to C'
refused 'a circle beside the rest' 'A\tgo\tB\toperator\tno\tx\nC\tgo\tD\toperator\tno\tx\nD\tgo\tC\toperator\tno\tx\n' 'no move leads to'
refused 'an unknown actor' 'A\tgo\tB\tboss\tno\tx\n' 'unknown actor boss'
refused 'an actor twice' 'A\tgo\tB\tworker,worker\tno\tx\n' 'actor twice'
refused 'no actor' 'A\tgo\tB\t\tno\tx\n' 'no actor'
refused 'a reason that is neither yes nor no' 'A\tgo\tB\tworker\tmaybe\tx\n' 'reason is yes or no'
refused 'a missing column' 'A\tgo\tB\tworker\tno\n' 'six columns'
refused 'a quote in the text' 'A\tgo\tB\tworker\tno\tsay "x"\n' 'quote'
refused 'a state in small letters' 'a\tgo\tB\tworker\tno\tx\n' 'a state is'
printf 'other\theader\n' >"$folder/kind.tsv"
"$awk" -f "$top/tools/rules.awk" "$folder/kind.tsv" >/dev/null 2>&1
[ $? != 0 ]
tell 'a file without its heading is refused' $?

[ "$failed" -eq 0 ] && echo "[  PASSED  ] $passed test(s)." || echo "[  FAILED  ] $failed test(s)."
[ "$failed" -eq 0 ]
