#!/bin/sh
# Arrows go down only: no file includes a header of a floor above its own; mysql.h, curses, jansson
# and curl stay in their one folder, and the last is not loaded at the start; every header compiles alone; no status column is written
# outside the rule engine's kinds; money is never a floating type. Prints what the suite counts.
set -u
top=${srcdir:-.}
program=$PWD/frontdesk
cd "$top" || exit 1
failed=0
passed=0
tell() {
    if [ "$2" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "not so: $1"; fi
}

rank() {
    case $1 in
        src/base/*) echo 0 ;;
        src/db/* | src/outside/* | src/sandbox/*) echo 1 ;;
        src/core/*) echo 2 ;;
        src/money/*) echo 3 ;;
        src/venue/*) echo 4 ;;
        src/jobs/*) echo 5 ;;
        src/cli/*) echo 6 ;;
        ui/term/*) echo 1 ;;
        ui/widget/*) echo 2 ;;
        ui/app/*) echo 3 ;; # the frame: knows no business
        ui/view/*) echo 7 ;;
        *) echo 9 ;;
    esac
}

wrong=$(find src ui -name '*.[ch]' | sort | while read -r file; do
    own=$(rank "$file")
    sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file" | while read -r header; do
        case $header in
            ui/*) target=$header ;;
            *) target=src/$header ;;
        esac
        [ -e "$target" ] || continue # made by the build
        [ "$(rank "$target")" -gt "$own" ] && echo "$file includes $header"
        case $file:$target in
            src/db/*:src/outside/* | src/outside/*:src/db/* | src/sandbox/*:src/db/* | src/outside/*:src/sandbox/*)
                echo "$file includes $header" ;;
        esac
    done
done)
[ -z "$wrong" ]
tell "arrows go down only:
$wrong" $?

only() { # pattern, folder, what
    found=$(grep -rlE "#include[[:space:]]*[<\"]($1)" src ui | grep -vE "^$2/")
    [ -z "$found" ]
    tell "$3 only in $2: $found" $?
}
only 'mysql|mariadb' src/db 'the database client'
only 'n?curses|panel' ui/term curses
only jansson src/outside jansson
only curl src/outside curl
only microhttpd 'src/(jobs|sandbox)' 'the HTTP server'
only 'qrencode|png' src/outside 'the libraries of codes and pictures'

# They bring some thirty others and are loaded when they are needed (src/base/late.h).
found=$(ldd "$program" 2>&1 | grep -E 'curl|microhttpd|gnutls|ldap|No such file|not a dynamic')
[ -z "$found" ]
tell "libraries at the start of $program: $found" $?

# The float of a drawer is money, and no type: texts and comments do not count.
found=$(grep -rnE '\b(float|double)\b' src/money src/core src/venue |
    sed 's/"[^"]*"//g; s@/\*.*@@; s@^\([^:]*:[0-9]*:\) \*.*@\1@' |
    grep -E '\b(float|double)\b' | grep -iE 'fen|amount|price|money')
[ -z "$found" ]
tell "money in a floating type: $found" $?

# Tables of our own have states too, which are nobody's orders.
found=$(grep -rnE '"[^"]*SET[[:space:]]+status[[:space:]]*=' src ui | grep -v 'src/venue/order.c' |
    grep -vE 'UPDATE (payment_record|refund_record|money_case|approval|shift|print_job) ')
[ -z "$found" ]
tell "status written outside the rule engine: $found" $?

if [ -n "${CC:-}" ]; then
    found=$(find src ui -name '*.h' | sort | while read -r header; do
        # shellcheck disable=SC2086
        echo "#include \"$header\"" | $CC -x c -std=gnu17 -D_GNU_SOURCE -fsyntax-only ${LAYER_FLAGS:-} -Isrc -I. - 2>/dev/null || echo "$header"
    done)
    [ -z "$found" ]
    tell "headers that do not compile alone: $found" $?
fi

[ "$failed" -eq 0 ] && echo "[  PASSED  ] $passed test(s)." || echo "[  FAILED  ] $failed test(s)."
[ "$failed" -eq 0 ]
