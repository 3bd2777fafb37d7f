/*
 * child.h - a command's work runs in a forked child: libhdf5 itself can crash on a damaged file,
 * and then the user still gets a sentence and exit code 3.
 *
 * The child tells which file it is reading and what its verdict will be through a shared page.
 * Outside a child (in tests) the notes do nothing.
 */
#ifndef RP_ANALYSIS_CHILD_H
#define RP_ANALYSIS_CHILD_H

#include <stdbool.h>

#include "base/status.h"

/*
 * Forks. In the child *in_child is true and the caller goes on. In the parent it returns when the
 * child ended: RP_OK with the child's exit code in *exit_code; the noted verdict when the reader of
 * its output went away (SIGPIPE); RP_ERR_DAMAGED naming the file when it crashed while reading one;
 * RP_ERR_INTERNAL when it crashed elsewhere.
 */
enum rp_status rp_child_split(bool *in_child, int *exit_code) RP_MUST_CHECK;

/* The file being read from now on; null: none. Copied. */
void rp_child_note_file(const char *path);

/* The exit code this command will end with, said before its output is written. */
void rp_child_note_verdict(int exit_code);

#endif
