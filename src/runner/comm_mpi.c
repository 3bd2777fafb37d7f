/*
 * comm_mpi.c - messages over MPI; the only includer of mpi.h.
 *
 * Sends are MPI_Isend over copies that are freed when MPI is done with them, so two ranks that send
 * to each other never wait for each other; a receive that has begun is looked after at each later
 * look, for a large message comes only as fast as both ranks look. No MPI threads are needed.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/comm.h"
#include "runner/comm_self.h"

struct pending {
    struct pending *next;
    MPI_Request request;
    void *data;
};

struct mpi {
    struct rp_comm base;
    struct rp_comm_place place;
    struct rp_self_queue self;
    struct pending *pending;
    struct rp_comm_message message; /* that arrives or was given out last */
    MPI_Request arriving;           /* null when none does */
};

static enum rp_status failed(const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return RP_FAIL(RP_ERR_ENVIRONMENT, "%s failed: %s", call, text);
}

/* Frees the copies of finished sends. */
static void reap(struct mpi *mpi)
{
    struct pending **link = &mpi->pending;
    while (*link) {
        struct pending *send = *link;
        int done = 0;
        MPI_Test(&send->request, &done, MPI_STATUS_IGNORE);
        if (done) {
            *link = send->next;
            free(send->data);
            free(send);
        } else {
            link = &send->next;
        }
    }
}

static void mpi_place(struct rp_comm *comm, struct rp_comm_place *place)
{
    *place = ((struct mpi *)comm)->place;
}

static enum rp_status mpi_send(struct rp_comm *comm, int to, int tag, const void *data,
                               size_t bytes)
{
    struct mpi *mpi = (struct mpi *)comm;
    if (to == mpi->place.rank)
        return rp_self_queue_add(&mpi->self, to, tag, data, bytes);
    struct pending *send = calloc(1, sizeof *send);
    void *copy = malloc(bytes ? bytes : 1);
    if (!send || !copy) {
        free(send);
        free(copy);
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a message of %zu bytes", bytes);
    }
    if (bytes > 0)
        memcpy(copy, data, bytes);
    send->data = copy;
    int code = MPI_Isend(copy, (int)bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &send->request);
    if (code != MPI_SUCCESS) {
        free(send);
        free(copy);
        return failed("MPI_Isend", code);
    }
    send->next = mpi->pending;
    mpi->pending = send;
    return RP_OK;
}

/* The message given out last. */
static void free_given(struct mpi *mpi)
{
    if (mpi->arriving != MPI_REQUEST_NULL)
        return;
    free(mpi->message.data);
    mpi->message.data = NULL;
}

/* Begins to receive what has come next, if anything has. */
static enum rp_status begin_receive(struct mpi *mpi)
{
    MPI_Message handle;
    MPI_Status status;
    int there = 0;
    int bytes = 0;
    int code = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &handle, &status);
    if (code != MPI_SUCCESS)
        return failed("MPI_Improbe", code);
    if (!there)
        return RP_OK;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    mpi->message = (struct rp_comm_message){status.MPI_SOURCE, status.MPI_TAG, (size_t)bytes,
                                            malloc(bytes > 0 ? (size_t)bytes : 1)};
    if (!mpi->message.data)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory for a message of %d bytes", bytes);
    code = MPI_Imrecv(mpi->message.data, bytes, MPI_BYTE, &handle, &mpi->arriving);
    return code == MPI_SUCCESS ? RP_OK : failed("MPI_Imrecv", code);
}

static enum rp_status mpi_receive(struct rp_comm *comm, struct rp_comm_message *message, bool *got)
{
    struct mpi *mpi = (struct mpi *)comm;
    int arrived = 0;
    *got = rp_self_queue_take(&mpi->self, message);
    if (*got)
        return RP_OK;
    free_given(mpi);
    /* A probe that finds nothing lets messages arrive, for the next one to find. */
    for (int look = 0; look < 2 && mpi->arriving == MPI_REQUEST_NULL; ++look)
        RP_TRY(begin_receive(mpi));
    if (mpi->arriving != MPI_REQUEST_NULL)
        MPI_Test(&mpi->arriving, &arrived, MPI_STATUS_IGNORE);
    *got = arrived;
    if (*got)
        *message = mpi->message;
    else
        reap(mpi);
    return RP_OK;
}

static bool mpi_is_busy(struct rp_comm *comm)
{
    const struct mpi *mpi = (const struct mpi *)comm;
    return mpi->pending || mpi->arriving != MPI_REQUEST_NULL;
}

static void mpi_close(struct rp_comm *comm)
{
    struct mpi *mpi = (struct mpi *)comm;
    while (mpi->pending)
        reap(mpi);
    free(mpi->message.data);
    rp_self_queue_clear(&mpi->self);
    free(mpi);
    MPI_Finalize();
}

static void mpi_abort(struct rp_comm *comm, int exit_code)
{
    (void)comm;
    MPI_Abort(MPI_COMM_WORLD, exit_code);
}

static const struct rp_comm_table mpi_table = {.place = mpi_place,
                                               .send = mpi_send,
                                               .receive = mpi_receive,
                                               .is_busy = mpi_is_busy,
                                               .close = mpi_close,
                                               .abort = mpi_abort};

/* Ranks of the node, then those of them with the same key. */
static void find_place(struct rp_comm_place *place, unsigned long share_key)
{
    MPI_Comm node = MPI_COMM_NULL;
    MPI_Comm share = MPI_COMM_NULL;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &place->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &place->size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place->rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &place->node_rank);
    MPI_Comm_split(node, (int)(share_key & 0x7FFFFFFF), place->rank, &share);
    MPI_Comm_rank(share, &place->share_rank);
    MPI_Comm_size(share, &place->share_size);
    MPI_Comm_free(&share);
    MPI_Comm_free(&node);
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0'; /* "Open MPI v4.1.4, package: ..." */
    snprintf(place->library, sizeof place->library, "%.63s", version);
}

enum rp_status rp_comm_open_mpi(unsigned long share_key, struct rp_comm **comm)
{
    struct mpi *mpi = calloc(1, sizeof *mpi);
    *comm = NULL;
    if (!mpi)
        return RP_FAIL(RP_ERR_INTERNAL, "no host memory");
    int code = MPI_Init(NULL, NULL);
    if (code != MPI_SUCCESS) {
        free(mpi);
        return RP_FAIL(RP_ERR_ENVIRONMENT, "MPI_Init failed with %d", code);
    }
    mpi->base.table = &mpi_table;
    mpi->arriving = MPI_REQUEST_NULL;
    find_place(&mpi->place, share_key);
    *comm = &mpi->base;
    return RP_OK;
}
