/*
 * lock_holder.h - who holds a lock file: its lines, and whether that process can be known to be
 * gone.
 */
#ifndef RP_STORE_LOCK_HOLDER_H
#define RP_STORE_LOCK_HOLDER_H

#include <stdbool.h>
#include <stdint.h>

enum { RP_LOCK_VALUE_SIZE = 256, RP_LOCK_TEXT_SIZE = 4096 };

struct rp_lock_holder {
    char host[RP_LOCK_VALUE_SIZE];
    int64_t pid;
    int64_t start; /* clock ticks after boot; -1: not known */
    char pid_namespace[RP_LOCK_VALUE_SIZE];
    char slurm_job[RP_LOCK_VALUE_SIZE];
    int64_t slurm_restart;
    char run[RP_LOCK_VALUE_SIZE];
};

/* This process. */
void rp_lock_holder_self(struct rp_lock_holder *self, const char *run_id);

void rp_lock_holder_text(const struct rp_lock_holder *holder, char text[RP_LOCK_TEXT_SIZE]);

/* False when the text is torn. */
bool rp_lock_holder_parse(const char *text, struct rp_lock_holder *holder);

/* True only when it is certain; see lock.h. */
bool rp_lock_holder_is_gone(const struct rp_lock_holder *holder, const struct rp_lock_holder *self);

#endif
