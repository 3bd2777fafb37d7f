#!/usr/bin/env bash
#
# ridgepoint-analyze report: one page, well formed, with every figure and section, that refers to
# nothing outside; in a browser without errors, light and dark, nothing cut at desktop and phone
# width.
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
command -v gnuplot >/dev/null || skip 'gnuplot is not here (scripts/setup installs it)'

# A job that has some of everything, and text that a page must not take for markup.
cat >job.yaml <<'YAML'
# a <b>comment</b> & "quotes"
name: report
measure: {min_samples: 6, max_samples: 6}
verify: {rows: 1}
sweep:
  - {stage: prefill, heads: 32, seq: {from: 64, to: 64k, times: 2}, head_dim: 128,
     causal: [true, false], dtype: [fp16, bf16]}
  - {stage: decode, heads: 32, kv_heads: [32, 8], seq_k: {from: 64, to: 8k, times: 2},
     head_dim: 128}
YAML
for type in t4 h100-sxm-80gb; do
    expect 0 env -u RIDGEPOINT_NO_CEILINGS "$RIDGEPOINT" run job.yaml -o "$type.h5" \
        --device "simulated:$type" --progress none
done
printf 'cost: 2 node-hours <b>&\nmissing: a100\n' >note.txt
expect 0 "$ANALYZE" report --simulated t4.h5 h100-sxm-80gb.h5 -o page --note note.txt
expect_equal "$(cat "$OUT")" page/index.html 'where the page is'
expect 3 "$ANALYZE" report --simulated t4.h5 -o unwritten --note no-such-note
expect_text "$ERR" 'no-such-note' 'a note that is not there'
expect_no_file unwritten/index.html unwritten/index.html.tmp
expect 2 "$ANALYZE" figures t4.h5 -o unwritten --note note.txt
run_tiny tiny.h5
expect 0 "$ANALYZE" report tiny.h5 -o tiny
expect 0 "$ANALYZE" report t4.h5 -o unasked

check_page() { # FOLDER
    local page=$1/index.html name
    expect_no_file "$page.tmp"
    if command -v xmllint >/dev/null; then # the page is written so that it is XML, too
        expect 0 xmllint --noout --nonet "$page"
    fi
    for id in answer figures tables ceilings words left-out provenance again; do
        expect_text "$page" "<section id=\"$id\">" 'a section'
    done
    while IFS= read -r name; do
        expect_text "$page" "<figure id=\"$name\"" 'a figure'
        for ending in svg png csv gp; do
            expect_text "$page" "href=\"$name.$ending\"" 'the files of a figure'
        done
    done < <(find "$1" -name '*.svg' -printf '%f\n' | sed 's/\.svg$//')
    expect_equal "$(grep -c '<svg ' "$page" || true)" "$(find "$1" -name '*.svg' | wc -l)" \
        'drawings'
    # Nothing is loaded: no address but links to places in it and to files beside it.
    ! grep -nE '<(script|link|img|iframe|object|embed)|@import|url\(' "$page" ||
        fail "$page loads something"
    ! grep -oE '(href|src)=["'\''][^"'\'']*["'\'']' "$page" |
        grep -vE '=["'\''](#|[a-z0-9.-]+\.(svg|png|csv|gp)["'\''])' || fail "$page refers elsewhere"
    grep -oE ' id=["'\''][^"'\'']*' "$page" | sort | uniq -d >twice
    [ ! -s twice ] || fail "$page gives names twice: $(head -n 3 twice)"
}
check_page page
check_page tiny
check_page unasked

# The answer comes first, and is the summary's.
expect_text page/index.html 'On t4, fp16 (ridge 203.1 FLOP/B), prefill is compute-bound without' \
    'the answer'
expect 0 "$ANALYZE" summary --simulated t4.h5 h100-sxm-80gb.h5
expect_text "$OUT" 'On t4, fp16 (ridge 203.1 FLOP/B), prefill is compute-bound without' \
    'the summary'
answer=$(grep -n 'id="answer"' page/index.html | cut -d : -f 1)
drawing=$(grep -n '<svg ' page/index.html | head -n 1 | cut -d : -f 1)
[ "$answer" -lt "$drawing" ] || fail 'the answer does not come first'

# Five questions a device, two simulated ones and an A100 by its datasheet; and the tables of the
# summary.
for text in '<dt>Where does prefill turn compute-bound?</dt>' \
    '<dt>Does decode ever turn compute-bound?</dt>' '<dt>What does naive cost?</dt>' \
    '<dt>How sure is that?</dt>'; do
    expect_equal "$(grep -cF "$text" page/index.html)" 3 "$text"
done
for text in '<dd>fused fp16, no mask: from T = ' '<dd>fused fp16, H/G = ' \
    '<dd>ideal, by the datasheet, fp16, no mask: from T = 406<' ' times the time of fused ' \
    '<dd>naive fp16: peak grows as T<sup>1.' 'a model answered, nothing was measured' \
    '<h3>Where implementations turn from memory to compute</h3>' '<h3>Memory</h3>' \
    '<h3>What naive costs</h3>' '<h3>Do the verdicts agree?</h3>' \
    'Ideal classes that depend on what is counted' '<dd>ideal fp16, no mask: from T = 306<' \
    '<dd>prefill, predicted: ' 'held against the datasheet; none was measured'; do
    expect_text page/index.html "$text" 'answers and tables'
done

# Every question gets an answer, every table its sentence.
! tr -d '\n' <page/index.html | grep -E '</dt></?d[tl]>' >/dev/null ||
    fail 'a question without an answer'
! tr -d '\n' <tiny/index.html | grep -E '</dt></?d[tl]>' >/dev/null ||
    fail 'a question without an answer'
! tr -d '\n' <page/index.html | grep -oE '<h3>[^<]*</h3><div class="table">' |
    grep -v '<h3>Simulated' || fail 'a table without a sentence'
# A simulated heatmap calls no cell measured.
expect_text page/index.html 'With a star: answered by the simulated device' 'cells of a model'
! grep -q 'With a star: measured' page/index.html || fail 'a model has not measured'

# A note is shown as it is; without one nothing speaks of it.
expect_text page/index.html 'cost: 2 node-hours &#60;b&#62;&#38;' 'the note'
expect_text page/index.html 'missing: a100' 'all of the note'
expect_text page/index.html ' --note note.txt' 'how to make the page again'
! grep -q 'id="note"\|#note' tiny/index.html || fail 'a note that nobody gave'

# Scores of 64k tokens do not fit a T4: said, with the reason. Markup of a job stays text.
expect_text page/index.html '<td>oom</td>' 'what was left out'
expect_text page/index.html '# a &#60;b&#62;comment&#60;/b&#62; &#38; &#34;quotes&#34;' 'escaped'
expect_text page/index.html 'ridgepoint-analyze report --simulated t4.h5' 'how to do it again'

# Simulated rows are marked; a measured page has no mark; unasked they are left out, which is said.
expect_text page/index.html '<p class="simulated">' 'the mark of the page'
expect_equal "$(grep -c '<h3>Simulated, not measured: t4' page/index.html)" 4 'marks of a device'
grep -l SIMULATED page/*.svg | sed 's/.*\/\(.*\)\.svg/\1/' | sort >marked
grep -o '<figure id="[^"]*" class="simulated">' page/index.html | cut -d '"' -f 2 | sort |
    cmp - marked || fail 'not the same figures are marked on the page and in the files'
# Marked are all but those that only count or only predict.
(cd page && ls -- *.svg) | sed 's/\.svg//' | sort | comm -23 - marked >unmarked
! grep -vxE 'intensity|grouped-queries|heatmap-(decode|prefill)-a100-sxm-80gb' unmarked ||
    fail 'figures of simulated rows without a mark'
! grep -q 'SIMULATED\|class="simulated"' tiny/index.html || fail 'a measured page is marked'
expect_text unasked/index.html 'rows of simulated devices' 'what is not in the page'
expect_equal "$(grep -c '<svg ' unasked/index.html || true)" 0 'figures of rows that do not count'
expect_text unasked/index.html '<p>There are none.</p>' 'nothing else was left out'
expect_equal "$(grep -c '<table>' unasked/index.html || true)" 1 'tables: devices'

command -v chromium >/dev/null || skip 'all but the browser checked: chromium is not here'
# A page beside it looks: does the report scroll sideways, is text of a drawing cut, what colour has
# the paper? The report itself runs no script.
cat >look.html <<'HTML'
<body><script>
const report = name => new Promise(done => {
    const frame = document.createElement('iframe');
    const [folder, width] = name.split(':');
    frame.style.width = width + 'px';
    frame.src = folder + '/index.html';
    frame.onload = () => {
        const page = frame.contentDocument;
        const lines = [name + ' paper ' + getComputedStyle(page.body).backgroundColor,
            name + ' figures ' + page.querySelectorAll('figure svg').length];
        if (page.documentElement.scrollWidth > Number(width))
            lines.push(name + ' scrolls sideways');
        for (const drawing of page.querySelectorAll('svg')) {
            const box = drawing.getBoundingClientRect();
            if (box.width < 0.6 * drawing.viewBox.baseVal.width)
                lines.push(name + ' shrinks a drawing to ' + box.width);
            for (const text of drawing.querySelectorAll('text')) {
                const r = text.getBoundingClientRect();
                if (r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1)
                    lines.push(name + ' cuts "' + text.textContent + '"');
            }
        }
        done(lines.join('\n'));
    };
    document.body.append(frame);
});
Promise.all(['page:1280', 'page:390', 'tiny:1280', 'tiny:390'].map(report)).then(all => {
    document.body.innerHTML = '<pre>' + all.join('\n') + '\ndone</pre>';
});
</script></body>
HTML
browse() { # COLOUR-SCHEME: 0 dark, 1 light
    timeout 120 chromium --headless --no-sandbox --disable-gpu --allow-file-access-from-files \
        --user-data-dir="$SCRATCH/browser" --blink-settings="preferredColorScheme=$1" \
        --enable-logging=stderr --virtual-time-budget=20000 --dump-dom "file://$SCRATCH/look.html" \
        >look.txt 2>look.log </dev/null || skip "chromium does not start: $(tail -n 1 look.log)"
    grep -q '^done' look.txt || fail 'the browser did not finish'
    ! grep CONSOLE look.log || fail 'the page has errors'
}
browse 1
! grep -E 'cuts|sideways|shrinks' look.txt || fail 'the page does not fit'
expect_text look.txt "page:390 figures $(find page -name '*.svg' | wc -l)" 'figures in the browser'
expect_text look.txt 'tiny:1280 paper rgb(255, 255, 255)' 'light paper'
browse 0
expect_text look.txt 'tiny:1280 paper rgb(22, 25, 29)' 'dark paper'
