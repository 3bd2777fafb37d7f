/* test_nvml.c - what the management library says, in this project's units; what it does not know.
 */
#include "check.h"

#include <math.h>

#include "device/nvml.h"

static const char uuid[] = "GPU-c0c0c0c0-c0c0-c0c0-c0c0-c0c0c0c0c0c0";

static void test_units(void **state)
{
    (void)state;
    char driver[32];
    struct rp_nvml *nvml = rp_nvml_open(uuid);
    CHECK_TRUE(nvml != NULL, "the library is there");
    CHECK_NEAR(rp_nvml_clock_hz(nvml), 1410e6, 1, "MHz of the multiprocessors");
    CHECK_NEAR(rp_nvml_power_limit_w(nvml), 70, 1e-9, "mW");
    CHECK_NEAR(rp_nvml_energy_j(nvml), 12.345, 1e-9, "mJ");
    CHECK_NEAR(rp_nvml_throttled_s(nvml), 2.5, 1e-9, "ns, by power and by heat");
    rp_nvml_driver(nvml, driver, sizeof driver);
    CHECK_EQ_TEXT(driver, "535.104.05", "driver");
    rp_nvml_close(nvml);
}

static void test_not_known(void **state)
{
    (void)state;
    char driver[32] = "x";
    struct rp_nvml *nvml = rp_nvml_open(uuid);
    CHECK_TRUE(nvml != NULL, "the library is there");
    CHECK_TRUE(isnan(rp_nvml_temperature_c(nvml)), "a function that is missing");
    CHECK_TRUE(isnan(rp_nvml_power_w(nvml)), "a function that says no");
    rp_nvml_close(nvml);
    CHECK_TRUE(rp_nvml_open("GPU-00000000-0000-0000-0000-000000000000") == NULL, "another GPU");
    CHECK_TRUE(isnan(rp_nvml_clock_hz(NULL)), "no library");
    CHECK_TRUE(isnan(rp_nvml_throttled_s(NULL)), "no library");
    rp_nvml_driver(NULL, driver, sizeof driver);
    CHECK_EQ_TEXT(driver, "", "no library");
    rp_nvml_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
