/* protocol_block.h - the blocks `measure` and `verify` of a job as a protocol. */
#ifndef RP_PLAN_PROTOCOL_BLOCK_H
#define RP_PLAN_PROTOCOL_BLOCK_H

#include "model/protocol.h"
#include "plan/node.h"

/* Both blocks are optional (null), and so is each of their keys; the rest is rp_protocol_init's. */
enum rp_status rp_protocol_read(const struct rp_node *measure, const struct rp_node *verify,
                                struct rp_protocol *protocol) RP_MUST_CHECK;

#endif
