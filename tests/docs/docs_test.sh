#!/bin/bash
# The documents say what the program does: pages of the manual against its tables, the completion against the same,
# commands in README, HACKING and the pages against both, tables and columns against the migrations.
# Runs in the build folder; prints what the suite counts.
set -u
shopt -s lastpipe # what follows a pipe counts in this shell
top=${srcdir:-.}
program=./frontdesk
manual=tests/docs/manual
pages="frontdesk.1 frontdesk-sandbox.1 frontdesk.conf.5 frontdesk-schema.7 frontdesk-notify.8 frontdesk-worker.8"
main=$top/man/frontdesk.1
settings=$top/man/frontdesk.conf.5
schema=$top/man/frontdesk-schema.7
failed=0
passed=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# The user's own configuration and language must not be seen.
for name in ${!FRONTDESK_@}; do
    unset "$name"
done
export LC_ALL=C.UTF-8 XDG_CONFIG_HOME=$scratch
unset LANGUAGE

tell() {
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "not so: $1"
    fi
}

# nothing WHAT: standard input must be empty.
nothing() {
    local found
    found=$(cat)
    [ -z "$found" ]
    tell "$1:
$found" $?
}

# same WHAT FILE FILE
same() {
    local difference
    difference=$(diff -u "$2" "$3")
    tell "$1:
$difference" $?
}

# ---- pages against the tables ----

for page in $pages; do
    "$top/man/refresh.sh" $manual "$top/man/$page" >"$scratch/page"
    same "man/$page is as \"make manual\" writes it" "$top/man/$page" "$scratch/page"
done

# What must stand in a page must not hang on the marks alone.
for part in options keys line commands params errors; do
    grep -q "^\.\\\\\" from the tables: $part " "$main"
    tell "frontdesk(1) has the part $part" $?
done
grep -q '^\.\\" from the tables: config ' "$settings"
tell "frontdesk.conf(5) has the part config" $?
grep -q '^\.\\" from the tables: rules ' "$schema"
tell "frontdesk-schema(7) has the part rules" $?

# ---- what the program itself says ----

$manual names >"$scratch/names"
{
    while read -r noun verb flags; do
        [ "$noun" != - ] || continue
        [ "$verb" != - ] || verb=
        # shellcheck disable=SC2086
        $program "$noun" $verb --help </dev/null >"$scratch/help" 2>&1 || echo "no help for $noun $verb"
        grep -q "^\.It Ic $noun${verb:+ $verb}\( \|$\)" "$main" || echo "frontdesk(1) lacks $noun $verb"
        for flag in $flags; do
            grep -q -- "^  ${flag%=}\( \|$\)" "$scratch/help" || echo "--help of $noun $verb lacks $flag"
        done
        for flag in $(sed -n 's/^  \(--[a-z-]*\).*/\1/p' "$scratch/help"); do
            case $flag in
            --key | --reason | --json | --format | --columns | --no-header) grep -q "^\.It Fl -${flag#--}\( \|$\)" "$main" || echo "frontdesk(1) lacks $flag" ;;
            *)
                sed -n "/^\.It Ic $noun${verb:+ $verb}\( \|$\)/,/^\.El/p" "$main" | grep -q "^\.It Fl -${flag#--}\( \|$\)" ||
                    echo "frontdesk(1) lacks $flag of $noun $verb"
                ;;
            esac
        done
    done <"$scratch/names"
} | nothing "each action and flag of --help stands in frontdesk(1)"

$program --help >"$scratch/help"
sed -n 's/^  \(--[a-z-]*\).*/\1/p' "$scratch/help" | while read -r flag; do
    sed -n '/^\.Sh OPTIONS/,/^\.Sh /p' "$main" | grep -q "^\.It Fl -${flag#--}\( \|$\)" || echo "$flag"
done | nothing "options of the program that frontdesk(1) lacks"

$program config --json | tr '{' '\n' | sed -n 's/.*"key":"\([a-z]*\)\.\([a-z_]*\)".*/\1 \2/p' >"$scratch/keys"
[ "$(wc -l <"$scratch/keys")" -gt 10 ]
tell "the program lists its settings" $?
while read -r section key; do
    sed -n "/^\.Ss \[$section\]/,/^\.El/p" "$settings" | grep -q "^\.It Va $key\$" || echo "[$section] $key"
done <"$scratch/keys" | nothing "settings that frontdesk.conf(5) lacks"

# The file of the merchant accounts: the keys that channel_file.c takes, each in its section.
sed -n 's/^    {CHANNEL_\([A-Z]*\), "\([a-z_0-9]*\)", take_.*/\1 \2/p' "$top/src/outside/channel_file.c" |
    tr 'A-Z' 'a-z' >"$scratch/accounts"
[ "$(wc -l <"$scratch/accounts")" -gt 10 ]
tell "the keys of the merchant accounts are found" $?
while read -r section key; do
    sed -n "/^\.Ss \[$section\]/,/^\.El/p" "$settings" | grep -q "^\.It Va $key\$" || echo "[$section] $key"
done <"$scratch/accounts" | nothing "merchant accounts: keys that frontdesk.conf(5) lacks"

# ---- the sandbox ----

sandbox=$top/man/frontdesk-sandbox.1
./frontdesk-sandbox --help >"$scratch/help" && sed -n 's/^  \([a-z][a-z|-]*\) .*/\1/p' "$scratch/help" | tr '|' '\n' | sort >"$scratch/commands"
sed -n '/^\.Sh COMMANDS/,/^\.Sh FAULTS/s/^\.It Cm \([a-z-]*\).*/\1/p' "$sandbox" | sort -u >"$scratch/commands.page"
same "commands of frontdesk-sandbox(1) are those of its --help" "$scratch/commands.page" "$scratch/commands"
sed -n 's/^    X(FAULT_[A-Z_]*, "\([a-z0-9-]*\)",.*/\1/p' "$top/src/sandbox/fault.h" | sort >"$scratch/faults"
sed -n '/^\.Sh FAULTS/,/^\.Sh EXIT/s/^\.It Li //p' "$sandbox" | sort >"$scratch/faults.page"
same "faults of frontdesk-sandbox(1) are those of its table" "$scratch/faults.page" "$scratch/faults"

# ---- exit statuses ----

sed -n '/^\.Sh EXIT STATUS/,/^\.Sh [^E]/s/^\.It \([0-9]*\)$/\1/p' "$main" | sort -n >"$scratch/exits.page"
{ echo 0 && $manual errors | sed -n 's/^\.It .* Pq \([0-9]*\)$/\1/p'; } | sort -nu >"$scratch/exits.table"
same "exit statuses of frontdesk(1) are those of the table of errors" "$scratch/exits.page" "$scratch/exits.table"
sed -n '/^Exit status/,$p' "$scratch/help" | grep -oE '\b[0-9]+ [a-z]' | cut -d' ' -f1 | while read -r status; do
    grep -qx "$status" "$scratch/exits.page" || echo "$status"
done | nothing "exit statuses of --help that frontdesk(1) lacks"

# ---- keys ----

grep -rhoE 'KEYMAP\(N_\("[^"]*"' "$top/ui" | sed 's/.*N_("//; s/"$//' | grep -vx 'Locked' | sort >"$scratch/maps.code"
sed -n '/^\.Sh KEYS/,/^\.Sh COMMANDS/s/^\.Ss //p' "$main" | sort >"$scratch/maps.page"
same "tables of keys in frontdesk(1) are those of ui/" "$scratch/maps.page" "$scratch/maps.code"

# ---- completion ----

$program completion bash >"$scratch/completion"
bash -n "$scratch/completion"
tell "the completion is valid bash" $?
if [ -e completions/frontdesk ]; then
    same "the completion that is installed is what the program prints" completions/frontdesk "$scratch/completion"
fi
sed -n "s/^    '\([a-z-]*\) \([a-z-]*\)') own='\(.*\)' ;;\$/\1 \2 \3/p" "$scratch/completion" |
    sed 's/^\([a-z-]*\)  /\1 - /; s/ *$//' | sort >"$scratch/own.completion"
sed 's/=//g; /^- /d' "$scratch/names" | sort >"$scratch/own.table"
same "actions and flags of the completion are those of the tables" "$scratch/own.completion" "$scratch/own.table"
sed -n "s/^    local flags='\(.*\)'\$/\1/p" "$scratch/completion" | tr ' ' '\n' | sort >"$scratch/flags.completion"
sed -n 's/^- - //p' "$scratch/names" | tr -d = | tr ' ' '\n' | sort >"$scratch/flags.table"
same "program flags of the completion are those of the table" "$scratch/flags.completion" "$scratch/flags.table"

# complete WORD...: what is offered for the last one.
complete_words() {
    bash -c '. "$1"; shift; COMP_WORDS=(frontdesk "$@"); COMP_CWORD=$#; COMPREPLY=(); _frontdesk; echo "${COMPREPLY[*]}"' \
        bash "$scratch/completion" "$@" 2>&1
}
# offers WHAT WORD...
offers() {
    local wanted=$1 offered
    shift
    offered=$(complete_words "$@")
    [ "$offered" = "$wanted" ]
    tell "completion of $*: $offered" $?
}
offers "change check-in" --data /x order ch
offers --any-of order book --any
offers finance operator add x --role f

# ---- database ----

sed -n 's/^CREATE TABLE \([a-z_]*\).*/\1/p' "$top"/sql/migrations/*.sql | sort -u >"$scratch/tables"
sed -n 's/^CREATE TRIGGER \([a-z_]*\).*/\1/p' "$top"/sql/migrations/*.sql | sort -u >"$scratch/triggers"
{
    while read -r table; do
        grep -qE "^\.It Vt .*\b$table\b" "$schema" || echo "table $table"
    done <"$scratch/tables"
    while read -r trigger; do
        grep -qw "$trigger" "$schema" || echo "trigger $trigger"
    done <"$scratch/triggers"
    awk '/^ALTER TABLE/ { table = $3 } /ADD COLUMN/ { print table, $3 }' "$top"/sql/migrations/*.sql |
        while read -r table column; do
            sed -n "/^\.It Vt $table\$/,/^\.\(It\|El\)/{/^\.It Vt $table\$/d;p}" "$schema" | grep -qw "$column" ||
                sed -n "/^\.It Vt $table\$/,/^\.It \|^\.El/p" "$schema" | grep -qw "$column" || echo "$table.$column"
        done
} | nothing "tables, triggers and added columns that frontdesk-schema(7) lacks"
# The program makes this one before the first migration.
{ cat "$scratch/tables" && echo schema_version && printf 't_order\nt_power_bank_order\n'; } >"$scratch/known"
sed -n 's/^\.\(It \)\{0,1\}Vt //p' "$schema" | tr -s ' ,.:;' '\n' | grep . | sort -u | grep -vxFf "$scratch/known" |
    nothing "tables in frontdesk-schema(7) that do not exist"

# ---- commands and files that the documents name ----

(cd "$top" && awk -f tests/docs/commands.awk "$scratch/names" README HACKING man/frontdesk.1 man/frontdesk-sandbox.1 \
    man/frontdesk.conf.5 man/frontdesk-notify.8 man/frontdesk-worker.8 man/frontdesk-schema.7) | nothing "commands in the documents that do not exist"
for document in README HACKING; do
    grep -oE '`[^`]+`' "$top/$document" | tr -d '`' | grep -E '^(src|ui|sql|tests|man|po|tools)(/|$)' | while read -r path; do
        # shellcheck disable=SC2086
        (cd "$top" && ls -d $path >/dev/null 2>&1) || echo "$path"
    done | nothing "files in $document that do not exist"
    grep -oE '(`|^    )make [a-z]+' "$top/$document" | sed 's/.*make //' | sort -u | while read -r target; do
        grep -q "^$target:" Makefile || echo "make $target"
    done | nothing "targets in $document that do not exist"
    grep -oE '(`|^    )\./[a-z-]+' "$top/$document" | sed 's|.*\./||' | sort -u | while read -r script; do
        [ -x "$top/$script" ] || echo "$script"
    done | nothing "scripts in $document that cannot be run"
done
grep -hoE '\bFRONTDESK_[A-Z_]+' "$top"/README "$top"/HACKING "$main" "$settings" "$top/man/frontdesk-worker.8" | sort -u |
    while read -r name; do
        $manual config | grep -qw "$name" || grep -rqw "\"$name\"" "$top/src" || echo "$name"
    done | nothing "variables in the documents that nothing reads"

# The screen in README is one of today's: tabs, legend and key bar as the pictures of the suite have them.
picture=$top/tests/view/golden/grid.en.80x24.txt
for row in 2 21 24; do
    line=$(sed -n "${row}p" "$picture")
    grep -qF -- "${line% }" "$top/README"
    tell "README shows the row: $line" $?
done

if command -v mandoc >/dev/null 2>&1; then
    for page in $pages; do
        mandoc -T lint -W warning "$top/man/$page" 2>&1
    done | nothing "mandoc finds fault"
fi

[ "$passed" -eq 0 ] || echo "[  PASSED  ] $passed test(s)."
[ "$failed" -eq 0 ] || echo "[  FAILED  ] $failed test(s)."
[ "$failed" -eq 0 ]
