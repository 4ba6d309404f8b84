#!/bin/sh
# The release program has no fail points and no switches for its safety: their names and variables are not in it, and
# it does not look at the environment for them. A build with --enable-teeth is passed over.
set -u
source=${srcdir:-.}
program=$(pwd)/frontdesk
failed=0
passed=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fdrelease.XXXXXX") || exit 99
trap '"$program" --data "$scratch/data" server stop >"$scratch/out" 2>&1; rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

grep -q '^DEFS = .*FD_TEETH' Makefile && {
    echo "a build with fail points"
    exit 77
}

check() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "[  FAILED  ] $2"
    fi
}

# Every name in quotes behind FD_POINT, FD_TOOTH, and every variable of fault.c and mem.c.
find "$source/src" "$source/ui" -name '*.[ch]' -exec \
    sed -n -e 's/.*FD_POINT("\([^"]*\)").*/\1/p' -e 's/.*FD_TOOTH("\([^"]*\)").*/\1/p' \
    -e 's/.*getenv("\(FRONTDESK_\(FAIL\|TOOTH\|POINTS\)[A-Z_]*\)").*/\1/p' {} + | sort -u >"$scratch/names"
[ "$(wc -l <"$scratch/names")" -gt 15 ]
check $? "the sources have fail points and teeth"
# Without its debugging information, which has the names of functions.
strip -o "$scratch/stripped" "$program"
check $? "strip"
grep -a -o -E '[[:print:]]{4,}' "$scratch/stripped" | sort -u >"$scratch/strings"
while read -r name; do
    ! grep -qxF "$name" "$scratch/strings"
    check $? "$name is not in the program"
done <"$scratch/names"
! grep -q 'FRONTDESK_FAIL\|FRONTDESK_TOOTH\|FRONTDESK_POINTS' "$scratch/strings"
check $? "no variable of them is in the program"

# With all of them set it works as without.
set_all() {
    FRONTDESK_FAIL_POINT=db_before_commit FRONTDESK_FAIL_ALLOC=1 FRONTDESK_FAIL_SQL=1:1213 FRONTDESK_POINTS_FD=2 \
        FRONTDESK_TOOTH=$(paste -s -d , "$scratch/names") HOME=$scratch XDG_RUNTIME_DIR=$scratch LANG=C.UTF-8 \
        "$program" --data "$scratch/data" "$@" >"$scratch/out" 2>&1
}
set_all --version
check $? "--version"
set_all migrate
check $? "migrate: $(tail -n 1 "$scratch/out")"
(umask 077 && echo secret >"$scratch/password")
set_all operator add boss --role admin --new-password-file "$scratch/password"
check $? "operator add: $(tail -n 1 "$scratch/out")"
set_all worker --once
check $? "worker: $(tail -n 1 "$scratch/out")"

echo "[  PASSED  ] $passed test(s)."
[ "$failed" -eq 0 ] || echo "[  FAILED  ] $failed test(s)."
[ "$failed" -eq 0 ]
