/* folder.h - the folder a file lies in: made, and synced so that a rename survives a power cut. */
#ifndef RP_STORE_FOLDER_H
#define RP_STORE_FOLDER_H

#include "base/status.h"

/* The folder of `path`: heap, "." when the path has none; null when host memory is out. */
char *rp_folder_of(const char *path);

/* Creates the folder of `path` and those above it that are missing. RP_ERR_ENVIRONMENT. */
enum rp_status rp_folder_create(const char *path) RP_MUST_CHECK;

/* Makes renames and removals in the folder of `path` durable. RP_ERR_ENVIRONMENT. */
enum rp_status rp_folder_sync(const char *path) RP_MUST_CHECK;

#endif
