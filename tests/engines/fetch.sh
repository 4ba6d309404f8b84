#!/bin/bash
# Puts a real MySQL from Debian unstable into a folder (argument), for `make engines`: nothing of it
# is installed on the machine. The mirror is the one that apt is configured with here. Prints the
# path of a program that starts its mysqld. Made once; later calls only print.
set -euo pipefail
folder=${1:?folder}
program=$folder/mysqld
if [ ! -e "$folder/done" ]; then
    # shellcheck disable=SC2016
    mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' | awk '$2 ~ /^[a-z]+$/ && $1 ~ /debian\/?$/ {print $1; exit}')
    [ -n "$mirror" ] || { echo "engines: apt has no Debian mirror configured" >&2; exit 1; }
    command -v debootstrap >/dev/null || { echo "engines: install debootstrap" >&2; exit 1; }
    rm -rf "$folder/sid"
    mkdir -p "$folder"
    debootstrap --variant=minbase --keyring=/usr/share/keyrings/debian-archive-keyring.gpg --include=mysql-server-core,libmysqlclient-dev unstable "$folder/sid" "$mirror" >&2
    touch "$folder/done"
fi
lib=$folder/sid/usr/lib/$(uname -m)-linux-gnu
loader=$(find "$folder/sid/usr/lib" "$folder/sid/lib64" -name 'ld-linux-*.so.*' 2>/dev/null | head -n 1)
cat > "$program" <<TXT
#!/bin/sh
# --no-defaults has to stay the first word
exec "$loader" --library-path "$lib" "$folder/sid/usr/sbin/mysqld" "\$@" --lc-messages-dir="$folder/sid/usr/share/mysql"
TXT
chmod +x "$program"
echo "$program"
