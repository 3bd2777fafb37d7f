#!/usr/bin/env bash
#
# Odd output names: the file has exactly that name, nothing else appears, no shell is involved.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

write_tiny_job tiny.yaml
export_only='prefill heads=2 head_dim=8 seq=4 dtype=fp32'
names=(
    'two words.h5'
    "it's.h5"
    '"quoted".h5'
    '$(touch planted).h5'
    '`touch planted`.h5'
    'a;touch planted;.h5'
    $'new\nline.h5'
    '-dash.h5'
    '%s%n%d.h5'
    'umlaut-ü.h5'
    $'not-utf8-\xff.h5'
    '.hidden.h5'
    'no-suffix'
    "$(printf 'x%.0s' {1..200}).h5"
)
for name in "${names[@]}"; do
    rm -rf room
    mkdir room
    cd room
    expect 0 "$RIDGEPOINT" run --point "$export_only" --output="$name" --device cpu --threads 1 \
        --progress none --set measure.max_time_s=0.01 --set measure.cache=warm
    expect_equal "$(find . -mindepth 1 -printf '%P|')" "$name|" 'what lies in the folder'
    expect 0 "$ANALYZE" verify -- "$name"
    expect 0 "$ANALYZE" export --format csv -- "$name"
    cd ..
    expect_no_file planted room/planted
done

# Missing folders are made, also above; a name that is a path stays where it points.
mkdir inside
cd inside
expect 0 "$RIDGEPOINT" run --point "$export_only" -o 'a b/c/../d.h5' --device cpu --threads 1 \
    --progress none --set measure.max_time_s=0.01
[ -s 'a b/d.h5' ] || fail 'a b/c/../d.h5 is not there'
cd ..

# Too long a name: refused plainly.
long=$(printf 'x%.0s' {1..4096})
expect 3 "$RIDGEPOINT" run --point "$export_only" -o "$long.h5" --device cpu --progress none
[ -s "$ERR" ] || fail 'a name that is too long is refused without a word'

# A job's name goes into the default output: refused when it could lead elsewhere.
for name in '../up' 'a/b' '.hidden' '' 'a b' '$(id)' "$(printf 'x%.0s' {1..65})"; do
    sed "s|^name: .*|name: '$name'|" tiny.yaml >named.yaml
    expect 2 "$RIDGEPOINT" run named.yaml --progress none
    expect_no_file results
done
