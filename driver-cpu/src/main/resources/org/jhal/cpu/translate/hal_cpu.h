// SPDX-License-Identifier: Apache-2.0
// The language of GPU kernels for the host's C++ compiler. A translated source includes it.
#pragma once
#include "hal_abi.h"
#include "hal_types.h"
#define __device__ __attribute__((unused))
// GPUs align shared variables to 16 bytes, and programs access arrays of numbers as vectors.
#ifdef HAL_CHECKED
#define HAL_ALIGNED __attribute__((aligned(128)))  // by which SharedVariables.java knows them
#else
#define HAL_ALIGNED __attribute__((aligned(16)))
#endif
#define __shared__ static thread_local HAL_ALIGNED
#define __global__ static inline __attribute__((unused))
#define HAL_DEVICE inline __attribute__((unused))
#include "hal_math.h"
#include "hal_special.h"
#include "hal_device.h"
#include "hal_cast.h"
#ifdef HAL_SHORT_FLOATS  // the source has some, by any of their names
#include "hal_half.h"
#endif
#ifdef HAL_STANDARD  // likewise
#include "hal_standard_math.h"
#endif
#include "hal_item.h"
#include "hal_new.h"
#include "hal_list.h"
#include "hal_atomic.h"
#include "hal_owned.h"
#include "hal_meet.h"
#include "hal_member.h"
#include "hal_cooperative.h"
#include "hal_groups.h"
#include "hal_proofs.h"
#include "hal_warps.h"
#ifdef HAL_LOCKSTEP
#include "hal_lockstep.h"
#endif
#include "hal_range.h"
#include "hal_rows.h"
#include "hal_delayed.h"
#include "hal_wide.h"
#include "hal_run.h"
