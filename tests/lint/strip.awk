# strip.awk - C without comments and without what stands inside quotes, line for line.
#
# Include lines keep their file name. States: code, block comment, string, character.
function strip(line,    out, i, c, two) {
    out = ""
    for (i = 1; i <= length(line); ++i) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (state == "comment") {
            if (two == "*/") {
                state = "code"
                ++i
            }
        } else if (state == "string" || state == "character") {
            if (c == "\\")
                ++i
            else if ((state == "string" && c == "\"") || (state == "character" && c == "'")) {
                out = out c
                state = "code"
            }
        } else if (two == "/*") {
            state = "comment"
            ++i
        } else if (two == "//") {
            break
        } else {
            if (c == "\"")
                state = "string"
            else if (c == "'")
                state = "character"
            out = out c
        }
    }
    if (state == "string" || state == "character")
        state = (substr(line, length(line), 1) == "\\") ? state : "code"
    return out
}

FNR == 1 { state = "code" }
state == "code" && /^[ \t]*#[ \t]*include/ {
    print FILENAME ":" FNR ":" $0
    next
}
{ print FILENAME ":" FNR ":" strip($0) }
