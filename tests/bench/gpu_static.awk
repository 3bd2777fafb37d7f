# gpu_static.awk - what the inner loop of one kernel asks of each pipe of a multiprocessor, in
# clocks. Input: nvdisasm -c of the kernel's section; variables arch (75, 80, 90) and warps.
# Output: tensor, MUFU, conversions, FP32/INT, shared memory, issue slots, instructions, local.
#
# The loop is the one that holds the most matrix instructions; of it the shortest way round counts
# among those with the most 128-bit loads: masks, rare rescaling and rows that are no whole chunks
# are jumped over. Rates: docs/CUDA.md.

/^\.text\./ { inside = index($0, section) > 0 }
!inside { next }
/^\.L_/ {
    sub(/:.*/, "", $1)
    place[$1] = n + 1
    next
}
match($0, /\/\*[0-9a-f]+\*\/ +/) && /;/ {
    line = substr($0, RSTART + RLENGTH)
    ++n
    is_guarded[n] = line ~ /^@/
    sub(/^@[^ ]+ +/, "", line)
    opcode[n] = line
    sub(/[ ;].*/, "", opcode[n])
    if (opcode[n] == "BRA" && match(line, /\.L_x_[0-9]+/))
        target[n] = substr(line, RSTART, RLENGTH)
}

# Clocks of a multiprocessor for an instruction of a warp that `lanes` a clock can take.
function take(pipe, lanes) { clocks[pipe] += 32 / lanes }

function find_loop(    i, j, matrix, most) {
    for (i in target) {
        i += 0
        if (place[target[i]] > i)
            continue
        matrix = 0
        for (j = place[target[i]]; j <= i; ++j)
            matrix += opcode[j] ~ /^HMMA/
        if (matrix > most || (matrix == most && matrix && i - place[target[i]] < last - first)) {
            most = matrix
            first = place[target[i]]
            last = i
        }
    }
}

function is_wide(op) { return op ~ /^(LDG|LDGSTS)\..*128/ }

function reach(to, from,    length_there) {
    length_there = steps[from] + (is_wide(opcode[to]) ? -1000 : 1)
    if (to > from && to <= last && (!(to in steps) || length_there < steps[to])) {
        steps[to] = length_there
        before[to] = from
    }
}

function walk(    i) {
    steps[first] = 1
    for (i = first; i < last; ++i) {
        if (!(i in steps))
            continue
        if (opcode[i] != "BRA" || is_guarded[i])
            reach(i + 1, i)
        if (i in target)
            reach(place[target[i]], i)
    }
}

function account(op) {
    ++instructions
    if (op ~ /^HMMA\.1688/)
        clocks["tensor"] += 2
    else if (op ~ /^HMMA/)
        clocks["tensor"] += arch == 80 ? 2 : 1 / 0.629
    else if (op ~ /^MUFU/)
        take("mufu", 16)
    else if (op ~ /^(F2F|F2I|I2F)/)
        take("conversion", 16)
    else if (op ~ /^(LDSM.*\.4|LDS\.128|STS\.128|LDGSTS.*128)/)
        clocks["shared"] += 4
    else if (op ~ /^(LDSM|LDS|STS|LDGSTS)/)
        clocks["shared"] += op ~ /64|\.2/ ? 2 : 1
    else if (op ~ /^SHFL/)
        take("shared", 32)
    else if (op ~ /^(LDL|STL)/)
        ++n_local
    else if (op ~ /^(FFMA|FADD|FMUL)/)
        take("plain", arch == 90 ? 128 : 64)
    else if (op !~ /^(BRA|BAR|BSYNC|BSSY|DEPBAR|LDGDEPBAR|LDG|VOTE|NOP|U|R2UR|S2R|S2UR|CALL|WARPSYNC)/)
        take("plain", 64)
    n_wide += is_wide(op)
}

END {
    find_loop()
    walk()
    if (!(last in steps)) {
        print "no inner loop with matrix instructions" > "/dev/stderr"
        exit 1
    }
    for (i = last; i != first; i = before[i])
        account(opcode[i])
    account(opcode[first])
    printf "%.0f %.0f %.0f %.0f %.0f %.0f %d %d %d\n", warps * clocks["tensor"],
        warps * clocks["mufu"], warps * clocks["conversion"], warps * clocks["plain"],
        warps * clocks["shared"], warps * instructions / 4, instructions, n_local, n_wide
}
