/* report_words.c - what the words and letters of the page mean. docs/MODEL.md has the equations. */
#include "analysis/report.h"

struct word {
    const char *term;
    const char *meaning; /* html */
};

static const struct word words[] = {
    {"prefill, decode", "attention over a whole prompt at once; of one new token, or a few, over "
                        "all keys and values kept so far"},
    {"naive", "attention from scratch in three steps, with the scores in memory"},
    {"reference", "the same three steps on the vendor&#8217;s matrix library"},
    {"fused", "one pass that never stores the scores"},
    {"B, H, G, D", "sequences in the batch, query heads, key/value heads, elements of a head; "
                   "H/G query heads share a key/value head"},
    {"T", "tokens: keys, and in prefill as many queries; Tq: queries where they are fewer"},
    {"causal, no mask", "a query sees the keys up to its own place; or all of them"},
    {"shape, row", "all of the above is a shape; a row is one implementation at one shape on one "
                   "device"},
    {"flops, bytes_min", "the work that has to be done, and each of Q, K, V and O moved once; "
                         "flops_dense: hidden pairs included, the notebook&#8217;s count"},
    {"flops_impl, bytes_impl", "what an implementation executes and moves: scores, tiles rounded "
                               "up, hidden pairs if it computes them"},
    {"intensity", "work over traffic, FLOP/B"},
    {"path", "the arithmetic a row runs on: tensor_fp16 and the like are tensor cores, simt_fp32 "
             "plain cores, cpu_fp32 a processor&#8217;s vector units"},
    {"ceiling", "the most a device reaches: of arithmetic on a path, of memory, of launches"},
    {"ridge", "peak arithmetic over memory bandwidth, FLOP/B; an intensity at or above it is "
              "compute-bound, one below memory-bound"},
    {"compute, memory, latency", "what takes longest at the ceilings: arithmetic, traffic, or the "
                                 "launches themselves"},
    {"balanced", "the two longest are within 10 % of each other"},
    {"undecided", "the intervals of the ceilings allow more than one class"},
    {"unexplained", "the ceilings account for less than half of the measured time"},
    {"both, mixed", "of the rows behind a line some are compute and some memory; mixed: others, "
                    "too"},
    {"missing", "no verdict: data/ has no datasheet of the device, or no ceiling was measured"},
    {"ideal", "class by flops and bytes_min at the datasheet&#8217;s ceilings; dense: by "
              "flops_dense"},
    {"predicted", "class by flops_impl and bytes_impl at the datasheet&#8217;s ceilings"},
    {"measured", "class by flops_impl and bytes_impl at the ceilings measured on that device"},
    {"from T", "the length from which on it is compute-bound; above or below the sweep: beyond "
               "the largest or the smallest length of the files; never: the intensity stays "
               "below the ridge however long it gets"},
    {"attained", "the shortest time that the ceilings allow over the measured one; 1 is perfect"},
    {"naive/this", "time of naive over this one&#8217;s, above 1: naive is slower; formed in each "
                   "round in which both were measured (paired; unpaired: of the medians)"},
    {"95 % interval", "95 of 100 such intervals hold the true value; of a median time from the "
                      "order of its samples"},
    {"oom", "did not fit in memory; predicted ones are not tried"},
    {"noisy, throttled",
     "most samples were disturbed by others, or taken while the clock was lowered"},
    {"implausible", "faster than its compulsory work allows at the measured ceilings"},
    {"anchor, anchor_read", "the same arithmetic, the same read, again and again during a run: how "
                            "far the device drifted"},
};

enum rp_status rp_report_words(const struct rp_figures *figures, FILE *out)
{
    (void)figures;
    fprintf(out, "<dl>\n");
    for (size_t i = 0; i < RP_COUNT(words); ++i)
        fprintf(out, "<dt>%s</dt><dd>%s</dd>\n", words[i].term, words[i].meaning);
    fprintf(out, "</dl>\n");
    return RP_OK;
}
