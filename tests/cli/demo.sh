#!/bin/bash
# ./demo keeps one worker beside its private database, in the background: refunds come to their end by themselves, no
# pipe is held, and what stops the demo stops the worker. The programs are those of this build.
set -u
source=${srcdir:-.}
built=$(pwd)
failed=0
passed=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fddemo.XXXXXX") || exit 99
tree=$scratch/tree
data=$scratch/share/frontdesk-demo
trap 'demo server stop >/dev/null 2>&1; rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

# A tree in which nothing is newer than the program, so that nothing is built.
mkdir -p "$tree/tools" "$tree/build" "$scratch/run" && cp "$source/demo" "$tree/" &&
    cp "$source"/tools/*.sh "$tree/tools/" && ln -s "$built/frontdesk" "$built/frontdesk-sandbox" "$tree/build/" ||
    exit 99
chmod 700 "$scratch/run"

check() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "[  FAILED  ] $2"
    fi
}

# Long enough for a sanitized build on a slow machine.
demo() {
    env HOME="$scratch" XDG_DATA_HOME="$scratch/share" XDG_STATE_HOME="$scratch/state" XDG_RUNTIME_DIR="$scratch/run" \
        LANG=C.UTF-8 timeout 600 "$tree/demo" "$@" </dev/null
}

# Every process of the demo whose command line has the words; the worker's, the database's, the sandbox's.
processes() {
    pgrep -f -- "$data.*$1"
}

worker() {
    processes ' worker$'
}

# wait_for SECONDS COMMAND…
wait_for() {
    local until=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $until ] || return 1
        sleep 0.1
    done
}

one_worker() {
    [ "$(worker | wc -l)" = 1 ]
}

no_worker() {
    ! worker >/dev/null
}

# Ends with its reader, which waits for the last program that holds the pipe; 3 and 4 are pipes of the caller's.
demo 3>&1 4>&1 | cat >"$scratch/grid"
check "${PIPESTATUS[0]}" "./demo ends with 0"
grep -q '^Day grid' "$scratch/grid"
check $? "./demo prints the day grid"
wait_for 30 one_worker
check $? "one worker runs: $(worker | wc -l)"
first=$(worker)
[ "$first" = "$(cat "$data/worker.pid")" ]
check $? "its number is in worker.pid"
[ "$(ps -o sid= -p "$first" | tr -d ' ')" = "$first" ] && [ "$(ps -o tty= -p "$first" | tr -d ' ')" = '?' ]
check $? "it has a session of its own"
! find "/proc/$first/fd" -lname 'pipe:*' | grep -q .
check $? "it holds no pipe"
demo day show >/dev/null
demo order list --date today >/dev/null
[ "$(worker)" = "$first" ]
check $? "the second start leaves it alone"

# A refund is final without anybody's doing; the administrator's, because some are too late or too much for a clerk.
order=$(demo order list --date today --status PENDING_PAY --format csv --columns order_no --limit 1 | tail -n 1 | tr -d '\r')
demo pay wechat "$order" >/dev/null && demo sandbox pay >/dev/null
check $? "pay $order"
state() {
    demo order show "$order" --json | grep -q "\"status\": *\"$1\""
}
wait_for 60 state PAID
check $? "a code that nobody looks at is found paid"
demo --operator admin order refund "$order" --reason rain >"$scratch/refund" 2>&1
check $? "order refund: $(tail -n 1 "$scratch/refund")"
wait_for 60 state REFUNDED
check $? "the refund comes to its end"

demo printer test >/dev/null && [ -s "$data/printer.out" ]
check $? "the demo's printer is a file"

# One that died is replaced, by one of many.
kill -KILL "$first"
wait_for 10 no_worker
demo day show >/dev/null &
demo day show >/dev/null &
demo day show >/dev/null
wait
wait_for 30 one_worker && [ "$(worker)" != "$first" ]
check $? "one that died is replaced by one: $(worker | wc -l)"

demo server stop >/dev/null
check $? "server stop"
no_worker
check $? "server stop ends the worker"
demo server start >/dev/null && wait_for 30 one_worker
check $? "server start begins one"
before=$(worker)
rm -rf "$data"
wait_for 30 no_worker
check $? "the worker ends with its folder"
demo day show >/dev/null
check $? "a folder that was removed is made anew"
wait_for 30 one_worker
before=$(worker)
demo --reset >/dev/null
check $? "--reset"
wait_for 30 one_worker && [ "$(worker)" != "$before" ]
check $? "--reset leaves one, and another: $(worker | wc -l)"
demo server stop >/dev/null
! processes '' >/dev/null
check $? "nothing is left: $(processes '' | wc -l)"

echo "[  PASSED  ] $passed test(s)."
[ "$failed" -eq 0 ] || echo "[  FAILED  ] $failed test(s)."
[ "$failed" -eq 0 ]
