/* device_kind.h - which devices may stand for each other: of one type, and set up alike. */
#ifndef RP_ANALYSIS_DEVICE_KIND_H
#define RP_ANALYSIS_DEVICE_KIND_H

#include <stdbool.h>

#include "model/column.h"

bool rp_device_is_simulated(const struct rp_device_row *device);

/* Order by type, backend, MIG profile, ECC and power limit; 0: alike. */
int rp_device_kind_compare(const struct rp_device_row *a, const struct rp_device_row *b);

/* How it is set up, where that is worth a word: " MIG 1g.5gb ECC off", and the power limit when
 * asked for: " 300 W". */
#define RP_DEVICE_SETUP_SIZE 80
void rp_device_setup_text(const struct rp_device_row *device, bool with_power,
                          char text[RP_DEVICE_SETUP_SIZE]);

/* "a100-sxm-40gb", "a100-sxm-40gb MIG 1g.5gb 300 W", "t4 ECC off", "t4 simulated". */
#define RP_DEVICE_KIND_SIZE 160
void rp_device_kind_text(const struct rp_device_row *device, char text[RP_DEVICE_KIND_SIZE]);

#endif
