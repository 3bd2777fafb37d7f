/*
 * data_folder.h - where data/ is: beside the executable, never in the working directory.
 *
 * In order: what --data names; <exe>/../data and <exe>/data (a build folder); and
 * <exe>/../share/ridgepoint/data (installed). A folder counts only when it has gpus.tsv.
 */
#ifndef RP_MODEL_DATA_FOLDER_H
#define RP_MODEL_DATA_FOLDER_H

#include <stddef.h>

#include "base/status.h"

#define RP_DATA_PATH_SIZE 4096

/* The data folder. `override` is --data, or null. RP_ERR_USAGE when it is no folder,
 * RP_ERR_ENVIRONMENT with the places looked at when nothing is there. */
enum rp_status rp_data_folder_find(const char *override, char *path, size_t size) RP_MUST_CHECK;

/* Path of one file of it: of `override` when that has it, else the installed one. */
enum rp_status rp_data_file_find(const char *override, const char *name, char *path,
                                 size_t size) RP_MUST_CHECK;

#endif
