/* test_turns.c - the paired order: everyone once a round, every round begun by the next one. */
#include "check.h"

#include "measure/turns.h"

static void test_rotates(void **state)
{
    (void)state;
    static const size_t expected[] = {0, 1, 2, 1, 2, 0, 2, 0, 1, 0};
    struct rp_turns turns;
    rp_turns_init(&turns, 3);
    for (size_t i = 0; i < RP_COUNT(expected); ++i) {
        size_t who = 9;
        int64_t round = -1;
        CHECK_TRUE(rp_turns_next(&turns, &who, &round), "nobody has left");
        CHECK_EQ_I64((int64_t)who, (int64_t)expected[i], "whose turn");
        CHECK_EQ_I64(round, (int64_t)i / 3, "round");
    }
}

static void test_the_rest_go_on(void **state)
{
    (void)state;
    struct rp_turns turns;
    size_t who = 9;
    int64_t round = -1;
    rp_turns_init(&turns, 2);
    CHECK_TRUE(rp_turns_next(&turns, &who, &round), "first");
    rp_turns_leave(&turns, 0);
    for (int64_t r = 0; r < 5; ++r) {
        CHECK_TRUE(rp_turns_next(&turns, &who, &round), "one is left");
        CHECK_EQ_I64((int64_t)who, 1, "the one that is left");
        CHECK_EQ_I64(round, r, "once a round");
    }
    rp_turns_leave(&turns, 1);
    CHECK_TRUE(!rp_turns_next(&turns, &who, &round), "all have left");
}

static void test_block(void **state)
{
    (void)state;
    CHECK_EQ_I64((int64_t)rp_turns_block(1), 1, "long samples alone");
    CHECK_EQ_I64((int64_t)rp_turns_block(0.7e-3), 2, "2 ms a turn");
    CHECK_EQ_I64((int64_t)rp_turns_block(1e-6), 5, "at most five");
    CHECK_EQ_I64((int64_t)rp_turns_block(0), 1, "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotates),
        cmocka_unit_test(test_the_rest_go_on),
        cmocka_unit_test(test_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
