# Finds the commands of frontdesk in documents and names those that the program would not understand.
# First file: the output of `manual names`. Others: README and HACKING (four blanks begin a line of code, backquotes
# hold one) and pages of the manual (.Ic, and what stands between .Bd -literal and .Ed).

function fail(text) { print FILENAME ":" FNR ": " text }

function has(list, flag) { return index(list " ", " " flag " ") || index(list " ", " " flag "= ") }

function check(line,    words, count, i, word, noun, verb, key) {
    gsub(/['"]/, "", line)
    sub(/^([A-Z_]+=[^ ]* )+/, "", line)
    if (line !~ /^(frontdesk|\.\/demo|build\/frontdesk)( |$)/)
        return
    if (line ~ /^\.\/demo (--reset$|sandbox )/)
        return
    found++
    count = split(line, words, " ")
    for (i = 2; i <= count; i++) {
        word = words[i]
        if (word ~ /^[|<>#&;]/ || word == "\\")
            break
        if (word ~ /^--/) {
            sub(/=.*/, "", word)
            key = noun ? noun " " verb : ""
            if (!has(flags["- -"], word) && !(key && has(flags[key], word)) && word != "--help")
                fail("no flag " word " in: " line)
            if (!noun && has(flags["- -"], word "=") && words[i] !~ /=/)
                i++
            continue
        }
        if (!noun) {
            if (word ~ /^[A-Z]+$/)
                return # NOUN VERB
            noun = word
            if (!(noun in nouns)) {
                fail("no noun " noun " in: " line)
                return
            }
            verb = (noun " -") in flags ? "-" : words[++i]
            if (verb != "VERB" && verb != "" && !((noun " " verb) in flags))
                fail("no verb " verb " in: " line)
        }
    }
}

NR == FNR {
    key = $1 " " $2
    nouns[$1] = 1
    $1 = $2 = ""
    flags[key] = " " $0
    next
}

FNR == 1 { literal = 0; held = "" }

FILENAME ~ /\.[0-9]$/ {
    if (/^\.Bd -literal/) { literal = 1; next }
    if (/^\.Ed/) { literal = 0; next }
    line = $0
    if (!literal) {
        if (line !~ /^\.(Ic|Dl) frontdesk /)
            next
        sub(/^\.(Ic|Dl) /, "", line)
        sub(/ [.,;:)]$/, "", line)
        gsub(/ (Ar|Fl|Op) /, " ", line)
    }
    sub(/\\e$/, "\\", line)
    if (line ~ /\\$/) { sub(/\\$/, "", line); held = held line; next }
    sub(/^ +/, "", line)
    check(held line)
    held = ""
    next
}

/^    / {
    line = $0
    sub(/^ +/, "", line)
    if (line ~ /\\$/) { sub(/\\$/, "", line); held = held line; next }
    check(held line)
    held = ""
    next
}

{
    count = split($0, parts, "`")
    for (part = 2; part <= count; part += 2)
        check(parts[part])
}

END {
    if (found < 20)
        print "only " found + 0 " commands were found: the documents are not read as they are written"
}
