# Turns sql/doctor/NN_name.sql into C: one named query per rule and the table of rules. In a file: comment lines, of
# which "-- @class H|E", "-- @grace MINUTES" and "-- @title …" are read, then one statement without a semicolon, which
# answers a row of two texts (what, what is wrong) for each breach.
# Usage: awk -f tools/doctor.awk sql/doctor/*.sql > doctor_rules.c

function fail(what) { print FILENAME ": " what > "/dev/stderr"; bad = 1; exit 1 }
function base(path) { sub(/.*\//, "", path); sub(/\.sql$/, "", path); return path }
function quoted(text) { gsub(/\\/, "\\\\", text); gsub(/"/, "\\\"", text); return "\"" text "\"" }

# Without a limit a broken database would answer with all its rows; the count is then "1000 or more".
function finish() {
    if (!name) return
    if (class != "H" && class != "E") fail("no class")
    if (title == "") fail("no title")
    printf "%s\n         \"LIMIT 1000\");\n\n", body
    rows = rows sprintf("    {%d, '%s', %d, N_(%s), &q_%s},\n", name + 0, class, grace, quoted(title), name)
}

BEGIN {
    print "/* Made by tools/doctor.awk from sql/doctor. */"
    print "#include \"cli/doctor.h\"\n"
}
FNR == 1 {
    finish()
    name = base(FILENAME); class = ""; grace = 0; title = ""; body = ""
    if (name !~ /^[0-9][0-9]_[a-z0-9_]+$/) fail("name is not NN_name.sql")
    body = "DB_QUERY(q_" name ", \"doctor." name "\", DB_ROWS"
    gap = ",\n         "
}
/^-- @class / { class = $3; next }
/^-- @grace / { grace = $3; next }
/^-- @title / { title = substr($0, 11); next }
/^--/ { next }
/;/ { fail("a semicolon: one statement without it") }
{ body = body gap quoted($0 " "); gap = "\n         " }
END {
    if (bad) exit 1
    finish()
    printf "const struct doctor_rule doctor_rules[] = {\n%s    {0},\n};\n", rows
}
