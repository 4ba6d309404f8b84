# Makes the C table of state rules from sql/rules/<entity>.tsv, one entity per file, in the order of the
# arguments. The build fails where two moves share state and event, where a state cannot be reached from
# the first row's, or where a word is unknown.
BEGIN {
    FS = "\t"
    bits["customer"] = 1; bits["operator"] = 2; bits["worker"] = 4
    bits["channel"] = 8; bits["kiosk"] = 16; bits["online"] = 32
    print "/* Made from sql/rules by tools/rules.awk. */"
    print "#include \"base/i18n.h\""
    print "#include \"core/rule.h\""
    print ""
    print "const struct rule rules[] = {"
}
function fail(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
    failed = 1
}
function mask(words,   list, count, i, sum) {
    sum = 0
    count = split(words, list, ",")
    for (i = 1; i <= count; i++) {
        if (!(list[i] in bits))
            fail("unknown actor " list[i])
        else if (seen_actor[FILENAME, FNR, list[i]]++)
            fail("actor twice: " list[i])
        else
            sum += bits[list[i]]
    }
    if (count == 0)
        fail("no actor")
    return sum
}
FNR == 1 {
    entity = FILENAME
    sub(/.*\//, "", entity)
    sub(/\.tsv$/, "", entity)
    if ($0 != "from\tevent\tto\tactors\treason\ttext")
        fail("the first line must name the columns")
    next
}
NF == 0 { next }
NF != 6 { fail("six columns are needed, not " NF); next }
{
    if ($1 !~ /^[A-Z0-9_]+$/ || $3 !~ /^[A-Z0-9_]+$/ || length($1) > 20 || length($3) > 20)
        fail("a state is at most 20 of A-Z 0-9 _")
    if ($2 !~ /^[a-z_]+$/ || length($2) > 20)
        fail("an event is at most 20 of a-z _")
    if ($5 != "yes" && $5 != "no")
        fail("reason is yes or no")
    if ($6 ~ /["\\]/ || length($6) > 255)
        fail("the text has a quote or is too long")
    if ((entity, $1, $2) in moves)
        fail("two moves for " $1 " " $2)
    moves[entity, $1, $2] = $3
    if (!(entity in initial))
        initial[entity] = $1
    rows++
    row_entity[rows] = entity; row_from[rows] = $1; row_to[rows] = $3
    row_place[rows] = FILENAME ":" FNR
    printf "    {\"%s\", \"%s\", \"%s\", \"%s\", %d, %s, N_(\"%s\")},\n", entity, $1, $2, $3, mask($4), $5 == "yes" ? "true" : "false", $6
}
END {
    for (name in initial)
        reached[name, initial[name]] = 1
    do {
        grew = 0
        for (i = 1; i <= rows; i++)
            if (reached[row_entity[i], row_from[i]] && !reached[row_entity[i], row_to[i]]) {
                reached[row_entity[i], row_to[i]] = 1
                grew = 1
            }
    } while (grew)
    for (i = 1; i <= rows; i++)
        if (!reached[row_entity[i], row_from[i]]) {
            printf "%s: no move leads to %s\n", row_place[i], row_from[i] > "/dev/stderr"
            failed = 1
        }
    print "    {NULL, NULL, NULL, NULL, 0, false, NULL},"
    print "};"
    if (rows == 0)
        failed = 1
    exit failed
}
