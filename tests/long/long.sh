#!/bin/sh
# The long programme: the fault tests with many more rounds, each with a seed of its own that is printed. Ends with
# "N passed, N failed".
# Usage: tests/long/long.sh [NAME...]   no name: all but "hour"; a failure comes back with SEED=… in the environment
#   BUILD=FOLDER the build that has the test programs (default: build)
set -u
cd "$(dirname "$0")/../.." || exit 1
. tools/build.sh
build=${BUILD:-build}
passed=0
failed=0

# Name, test program below tests/, its tests, times as many rounds, what it is.
list() {
    cat <<'LIST'
model     fault/model_test    *                50  Q1: 10 million steps of the rules, 100,000 on a database
meet      fault/meet_test     *                10  payment and expiry 10,000 times, the other meetings 3,000
parts     fault/meet_test     two_part*        40  part payments, 12,000 pairs
race      venue/race_test     *                20  Q2: crowds at the last place and the rest of the races
commit    fault/commit_test   cut*             40  Q4: 8 times 12,000 bookings, 20 of 100 COMMITs cut
server    fault/commit_test   a_killed*        33  L1: the server killed 99 times under 8 sessions
clients   fault/commit_test   killed_sess*     21  L3: sessions killed 504 times
links     fault/commit_test   bad_links*       60  L4: 1,440 troubles of the links
points    fault/inject_test   killed*           5  Q6: every point of every action, a migration killed at each turn
errors    fault/inject_test   an_error*         5  Q7: all codes at every statement
shortage  fault/inject_test   with*            20  L13: no memory, broken links
library   fault/inject_test   a_library*       20  L13: libraries without memory
text      fault/filter_test   *                20  Q11
terminal  fault/terminal_test *                10  Q14
disorder  fault/channel_test  random*          17  510 seeds of bookings, faults of the channels and kills, both books compared
fuzz      outside/fuzz_test   *               120  10 minutes of bent answers and notifications, at best with sanitizers
LIST
}

new_seed() {
    od -An -N4 -tu4 /dev/urandom | tr -d ' '
}

# run NAME SEED ROUNDS: one row of the list.
run() {
    row=$(list | awk -v name="$1" '$1 == name')
    program=$(echo "$row" | awk '{ print $2 }')
    tests=$(echo "$row" | awk '{ print $3 }')
    echo "== $1: SEED=$2 $(echo "$row" | sed 's/^\([^ ]* *\)\{4\}//')"
    began=$(date +%s)
    if (cd "$build" && SEED=$2 ONLY=$tests FRONTDESK_TEST_ROUNDS=$3 "tests/$program"); then
        passed=$((passed + 1))
        echo "== $1: passed, $(($(date +%s) - began)) s"
    else
        failed=$((failed + 1))
        echo "== $1: FAILED, $(($(date +%s) - began)) s; again: SEED=$2 tests/long/long.sh $1"
    fi
}

rounds_of() {
    list | awk -v name="$1" '$1 == name { print $4 }'
}

# An hour of all of them in turn, shorter ones with new seeds.
hour() {
    until_s=$(($(date +%s) + 3600))
    while [ "$(date +%s)" -lt "$until_s" ]; do
        for each in $(list | awk '{ print $1 }'); do
            [ "$(date +%s)" -lt "$until_s" ] || break
            run "$each" "$(new_seed)" 2
        done
    done
}

set -f
names=${*:-$(list | awk '{ print $1 }')}
programs=$(list | awk '{ print "tests/" $2 }' | sort -u)
# shellcheck disable=SC2086
make -C "$build" -j "$(build_jobs)" frontdesk $programs >/dev/null || exit 1
for name in $names; do
    if [ "$name" = hour ]; then
        hour
    elif [ -n "$(rounds_of "$name")" ]; then
        run "$name" "${SEED:-$(new_seed)}" "$(rounds_of "$name")"
    else
        echo "there is no $name; there are: $(list | awk '{ printf "%s ", $1 }')hour"
        exit 2
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
