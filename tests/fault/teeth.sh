#!/bin/sh
# Shows that each fault test can fail: a build of its own (build-teeth, --enable-teeth) in which one safety after the
# other is switched off, and the test that rests on it must notice. Ends with "N passed, N failed".
# Usage: tests/fault/teeth.sh [FOLDER]   FOLDER: a build with --enable-teeth that is there already
set -u
cd "$(dirname "$0")/../.." || exit 1
. tools/build.sh
folder=${1:-}
passed=0
failed=0
limit=600

if [ -z "$folder" ]; then
    folder=build-teeth
    build_prepare && build_configure "$folder" --enable-werror --enable-teeth || exit 1
fi
folder=$(cd "$folder" && pwd) || exit 1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fdteeth.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' HUP INT TERM

# Tooth, test program below tests/, its tests (* all), a word of what it says then. A tooth that begins with -- is an
# option of the server.
teeth() {
    cat <<'LIST'
expire_condition  fault/model_test   rules*            against.the.model
expire_condition  fault/model_test   database*         was.told
rule_actors       venue/state_test   *                 FAILED.*actors_without
stock_condition   venue/race_test    *                 broken|instead|!=
retry_same_key    fault/meet_test    one_key*          doubled
retry_same_key    fault/commit_test  cut*              duplicates=[1-9]
unknown_outcome   fault/commit_test  cut*              lost=[1-9]
--innodb-flush-log-at-trx-commit=0   fault/commit_test  a_killed*  lost=[1-9]
one_transaction   fault/inject_test  killed_at*        done.-1
retry_whole       fault/inject_test  an_error*         done.-1|is.broken
out_of_memory     fault/inject_test  without*          ended.with.-11
row_count         fault/meet_test    payment_and_exp*  both.won
row_count         fault/meet_test    two_part*         doubled|lost
row_count         fault/meet_test    move_and_cancel*  order
free_run_out      fault/meet_test    without_a_worker* nobody.got
unsorted          core/op_test       *                 FAILED
refuse_after_error db/teeth_test     *                 FAILED
hang_up           fault/terminal_test hung_up*         ended|Failure
text_clean        fault/filter_test  *                 breaks.a.search|kept.nor
code_dead         money/code_end_test never_both         the.order.is
code_dead         fault/channel_test random*           the.books.are.wrong
code_amount       money/code_settle_test another_amount*    FAILED
refund_cap        money/back_test   of_many*           FAILED|ERROR
refund_cap        money/back_test   an_order_never*    FAILED|ERROR
refund_final      money/back_test   the_same_word*     FAILED|ERROR
approval_content  money/approval_test other_content*   FAILED|ERROR
approval_content  money/approval_test at_many_terminals_at_once_an* FAILED|ERROR
approval_lock     money/approval_test at_many_terminals_at_once_the* FAILED|ERROR
channel_proof     outside/notice_test *                FAILED.*forged_wechat
channel_proof     outside/notice_test *                FAILED.*forged_alipay
channel_proof     outside/channel_sandbox_test *       FAILED.*a_query_believes
channel_age       outside/notice_test *                FAILED.*old_wechat
channel_merchant  outside/notice_test *                FAILED.*odd_wechat
LIST
}

programs=$(teeth | awk '{ print "tests/" $2 }' | sort -u)
echo "building in $folder"
# shellcheck disable=SC2086
if ! make -C "$folder" -j "$(build_jobs)" frontdesk $programs >"$scratch/build" 2>&1; then
    tail -n 40 "$scratch/build"
    echo "0 passed, 1 failed"
    exit 1
fi

# run TOOTH PROGRAM TESTS: its output in $scratch/output.
run() {
    switch=$1
    options=
    case $switch in
    --*)
        options=$switch
        switch=
        ;;
    esac
    (cd "$folder" && FRONTDESK_TOOTH=$switch FRONTDESK_SERVER_OPTIONS=$options ONLY=$3 timeout "$limit" "tests/$2") \
        >"$scratch/output" 2>&1 </dev/null
}

count() {
    if [ "$1" = yes ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        tail -n 30 "$scratch/output"
    fi
}

set -f
teeth | awk '{ print $2, $3 }' | sort -u >"$scratch/sound"
while read -r program tests; do
    verdict=no
    run none "$program" "$tests" && verdict=yes
    echo "all teeth in: $program $tests: $([ $verdict = yes ] && echo passes || echo FAILS)"
    count $verdict
done <"$scratch/sound"

teeth >"$scratch/teeth"
while read -r tooth program tests word; do
    verdict=no
    run "$tooth" "$program" "$tests"
    status=$?
    [ $status -ne 0 ] && [ $status -ne 124 ] && grep -Eq "$word" "$scratch/output" && verdict=yes
    if [ $verdict = yes ]; then
        echo "$tooth out: $program $tests bit: $(grep -E "$word" "$scratch/output" | head -n 1 | cut -c 1-140)"
    else
        echo "$tooth out: $program $tests did NOT bite (status $status)"
    fi
    count $verdict
done <"$scratch/teeth"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
