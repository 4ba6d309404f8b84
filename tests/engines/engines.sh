#!/bin/bash
# All database tests on a real MySQL, through MariaDB Connector/C and through libmysqlclient:
#   engines.sh SOURCE BUILD TEST…    (make engines)
# MySQL comes into BUILD/engines; needs root for debootstrap, once. libmysqlclient 9 has lost the
# log-in method of MariaDB's default accounts, so that pair is not run.
set -uo pipefail
source=$1
build=$2
shift 2
passed=0
failed=0

run() { # folder, what
    cd "$1" || exit 1
    make -s -j"$(nproc)" "${tests[@]}" || { failed=$((failed + 1)); return; }
    for test in "${tests[@]}"; do
        log=$1/${test//\//-}-$2.log
        timeout 900 "./$test" > "$log" 2>&1
        status=$?
        count=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log")
        passed=$((passed + ${count:-0}))
        if [ "$status" = 0 ]; then
            echo "ok      $2 $test (${count:-0})"
        else
            count=$(sed -n 's/^ *\([0-9]*\) FAILED TEST.*/\1/p' "$log")
            failed=$((failed + ${count:-1}))
            echo "FAILED  $2 $test, see $log"
        fi
    done
}

program=$("$source/tests/engines/fetch.sh" "$build/engines") || exit 1
export FRONTDESK_SERVER_PROGRAM=$program
tests=("$@")
run "$build" connector-c

root=$build/engines/sid
lib=$root/usr/lib/$(uname -m)-linux-gnu
loader=$(find "$lib" -maxdepth 1 -name 'ld-linux-*.so.*' | head -n 1)
mkdir -p "$build/engines/build"
cd "$build/engines/build" || exit 1
# Only the client library is from there: our other libraries are the machine's.
"$source/configure" --quiet --with-mysql-client=mysql --disable-terminal-tests \
    DBCLIENT_CFLAGS="-I$root/usr/include/mysql -idirafter $root/usr/include" DBCLIENT_LIBS="$lib/libmysqlclient.so" \
    LDFLAGS="-Wl,--allow-shlib-undefined -Wl,--dynamic-linker=$loader -Wl,-rpath,$lib -Wl,--disable-new-dtags" || exit 1
make -s -j"$(nproc)" frontdesk || exit 1
run "$PWD" libmysqlclient
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
