#!/bin/sh
# Writes src/base/pinyin_data.c: the first letter of the commonest reading of each character from
# U+4E00 to U+9FFF, made once with Debian's icu-devtools and committed, so that neither the build
# nor the program needs ICU. Usage: tools/pinyin.sh > src/base/pinyin_data.c
set -eu
LC_ALL=C
export LC_ALL

characters() {
    awk 'BEGIN {
        for (c = 19968; c <= 40959; c++)
            printf "%c%c%c\n", 224 + int(c / 4096), 128 + int(c / 64) % 64, 128 + c % 64
    }'
}

characters | uconv -f UTF-8 -t UTF-8 -x 'Han-Latin; Latin-ASCII; Lower' | awk '
BEGIN {
    print "/* Made by tools/pinyin.sh; do not edit. \".\" where a character has no reading. */"
    print "#include \"base/pinyin.h\"\n"
    print "const char pinyin_letters[PINYIN_LAST - PINYIN_FIRST + 2] ="
}
{
    letter = substr($0, 1, 1)
    line = line (letter ~ /[a-z]/ ? letter : ".")
    if (NR % 96 == 0) {
        print "    \"" line "\""
        line = ""
    }
}
END {
    if (line != "")
        print "    \"" line "\""
    print "    ;"
}' | sed -e ':a' -e '$!{N;ba' -e '}' -e 's/\n    ;/;/'
