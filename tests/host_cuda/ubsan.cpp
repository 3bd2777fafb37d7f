/*
 * ubsan.cpp - where kernels go that are compiled with -fsanitize=alignment,bounds,...: the check's
 * place becomes the fault's. Static shared memory overrun by index, misaligned vector accesses and
 * index arithmetic beyond 32 bits are found this way in every build.
 */
#include <cstdint>

#include "engine.h"

/* Every record of a check begins like this; the rest is not needed. */
struct CheckedPlace {
    const char *file;
    uint32_t line, column;
};

static void report(const CheckedPlace *place, cudaError_t error, const char *message)
{
    host_cuda::Place where = {place->file, static_cast<int>(place->line)};
    if (host_cuda::self)
        host_cuda::trap(where, error, message);
    host_cuda::report_fault(std::string(where.file) + ":" + std::to_string(where.line) + ": " +
                                message + " [host code]",
                            error);
}

extern "C" {

void __ubsan_handle_type_mismatch_v1(const CheckedPlace *place, void *)
{
    report(place, cudaErrorMisalignedAddress, "misaligned address");
}

void __ubsan_handle_out_of_bounds(const CheckedPlace *place, void *)
{
    report(place, cudaErrorIllegalAddress, "index out of bounds");
}

void __ubsan_handle_add_overflow(const CheckedPlace *place, void *, void *)
{
    report(place, cudaErrorLaunchFailure, "signed overflow");
}

void __ubsan_handle_sub_overflow(const CheckedPlace *place, void *, void *)
{
    report(place, cudaErrorLaunchFailure, "signed overflow");
}

void __ubsan_handle_mul_overflow(const CheckedPlace *place, void *, void *)
{
    report(place, cudaErrorLaunchFailure, "signed overflow");
}

void __ubsan_handle_divrem_overflow(const CheckedPlace *place, void *, void *)
{
    report(place, cudaErrorLaunchFailure, "division by zero, or its overflow");
}

void __ubsan_handle_negate_overflow(const CheckedPlace *place, void *)
{
    report(place, cudaErrorLaunchFailure, "signed overflow");
}

void __ubsan_handle_shift_out_of_bounds(const CheckedPlace *place, void *, void *)
{
    report(place, cudaErrorLaunchFailure, "shift by more bits than there are");
}

} /* extern "C" */
