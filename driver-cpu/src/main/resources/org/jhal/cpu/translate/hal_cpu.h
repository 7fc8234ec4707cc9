// The language of GPU kernels for the host's C++ compiler. A translated source includes it.
#pragma once
#include "hal_abi.h"
#include "hal_types.h"
#include "hal_math.h"
#include "hal_half.h"
#include "hal_item.h"
#include "hal_atomic.h"
#include "hal_meet.h"
#include "hal_cooperative.h"
#include "hal_groups.h"
#include "hal_run.h"
