/* test_words.c - the words of CUDA C++ and of kernels/cuda/ptx.h mean what they should. */
#include "check.h"

#include "host_cuda.h"
#include "words.h"

static void words_mean_what_they_should(void **state)
{
    (void)state;
    for (int order = 0; order < HOST_CUDA_ORDER_COUNT; ++order) {
        host_cuda_reset(&(struct host_cuda_settings){
            .devices = "a100", .order = (enum host_cuda_order)order, .seed = 7});
        for (const struct word *word = words; word->name; ++word) {
            bool is_right = word->is_right();
            CHECK_EQ_TEXT(host_cuda_fault(), "", word->name);
            CHECK_TRUE(is_right, word->name);
        }
        CHECK_EQ_I64(host_cuda_leaks(), 0, "leaks");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_mean_what_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
