# shellcheck shell=sh
# Sourced by ./demo and ./check in the top folder: configuring and building.

# Makes ./configure where it is missing or older than what it is made from.
build_prepare() {
    newer=new
    if [ -f configure ] && [ -f Makefile.in ]; then
        newer=$(find configure.ac Makefile.am src ui -name '*.ac' -newer Makefile.in -o \
            -name 'Makefile.am' -newer Makefile.in -o -name '*.mk' -newer Makefile.in)
    fi
    [ -z "$newer" ] || autoreconf -fi
}

# build_configure FOLDER FLAG...: configures there; clears what other flags have built.
build_configure() {
    folder=$1
    shift
    same=no
    [ "$(cat "$folder/configured-with" 2>/dev/null)" != "$*" ] || same=yes
    mkdir -p "$folder"
    if [ -f "$folder/Makefile" ]; then
        [ "$same" = no ] || [ -n "$(find configure -newer "$folder/Makefile")" ] || return 0
        [ "$same" = yes ] || make -C "$folder" -s clean || return 1
    fi
    (cd "$folder" && ../configure --quiet "$@") || return 1
    printf '%s\n' "$*" >"$folder/configured-with"
}

# How many jobs make runs at once.
build_jobs() {
    nproc 2>/dev/null || echo 2
}
