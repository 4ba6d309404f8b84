# shellcheck shell=sh
# Sourced by ./demo and ./check: the Debian packages that they need, installed with apt as root or
# through sudo, and only where one is missing, so that everything works offline afterwards.
# Nothing else runs as root.

# To build and run.
# shellcheck disable=SC2034
packages_build='gcc libc6-dev make autoconf automake pkgconf gettext
    libncurses-dev libmariadb-dev libjansson-dev libssl-dev libcurl4-openssl-dev libmicrohttpd-dev libinih-dev libcrypt-dev
    libutf8proc-dev libqrencode-dev libpng-dev libcmocka-dev libvterm-dev mariadb-server-core mariadb-client'
# To check as well.
# shellcheck disable=SC2034
packages_check='clang faketime xz-utils zbar-tools'

# Prints those of the named packages that are not installed.
packages_missing() {
    for package in "$@"; do
        status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
        [ "$status" = installed ] || printf '%s\n' "$package"
    done
}

# Runs apt-get as root; its output goes to stderr, because stdout belongs to the caller.
packages_apt() {
    if [ "$(id -u)" -eq 0 ]; then
        DEBIAN_FRONTEND=noninteractive apt-get "$@" >&2
    else
        sudo env DEBIAN_FRONTEND=noninteractive apt-get "$@" >&2
    fi
}

# packages_install PACKAGE...
packages_install() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        echo "This is no Debian: taking it that these are installed: $*" >&2
        return 0
    fi
    missing=$(packages_missing "$@")
    [ -n "$missing" ] || return 0
    # The names are one word each.
    # shellcheck disable=SC2086
    set -- $missing
    echo "Installing: $*" >&2
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
        echo "Neither root nor sudo: install them with: apt-get install $*" >&2
        return 1
    fi
    # Old package lists can still be good enough; if not, the installation says so.
    packages_apt -qq update || echo "The package lists could not be renewed." >&2
    packages_apt -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends install "$@"
}
