# csv_columns.awk - the named columns of a CSV with a header line, tab-separated, without the header.
# Fields in quotes may hold commas, doubled quotes and line breaks (a break becomes a blank).
#
#   awk -v names="point impl" -f csv_columns.awk FILE.csv

BEGIN { wanted = split(names, name, " ") }

{
    # A record goes on while a quote is open: an odd number of quotes so far.
    record = open_record ? record " " $0 : $0
    quotes = gsub(/"/, "\"", record)
    open_record = quotes % 2
    if (open_record)
        next
    n = split_record(record)
    if (!seen_header) {
        for (i = 1; i <= n; ++i)
            position[field[i]] = i
        for (i = 1; i <= wanted; ++i) {
            if (!(name[i] in position)) {
                printf "csv_columns: there is no column %s\n", name[i] > "/dev/stderr"
                exit 1
            }
        }
        seen_header = 1
        next
    }
    line = ""
    for (i = 1; i <= wanted; ++i)
        line = line (i > 1 ? "\t" : "") field[position[name[i]]]
    print line
}

# Splits into field[1..n]; quoted fields lose their quotes.
function split_record(text,    n, part) {
    n = 0
    for (;;) {
        ++n
        if (substr(text, 1, 1) == "\"") {
            match(text, /^"([^"]|"")*"/)
            part = substr(text, 2, RLENGTH - 2)
            gsub(/""/, "\"", part)
            text = substr(text, RLENGTH + 1)
        } else {
            match(text, /^[^,]*/)
            part = substr(text, 1, RLENGTH)
            text = substr(text, RLENGTH + 1)
        }
        field[n] = part
        if (text == "")
            return n
        text = substr(text, 2)
    }
}
