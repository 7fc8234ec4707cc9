// SPDX-License-Identifier: Apache-2.0
/**
 * The driver for AMD devices, over the HIP runtime. The native calls are in {@link
 * org.jhal.hip.jna}.
 *
 * <p>Differences from CUDA:
 *
 * <ul>
 *   <li>There is no context to push. hipSetDevice selects the calling thread's current device and
 *       initialises it. The device stays selected, so this driver asks hipGetDevice first and
 *       restores that device.
 *   <li>A destroyed stream, event or module must not be passed to any call: from ROCm 7 on that
 *       ends the process. A null stream is the default stream, which waits for all others.
 *   <li>hipPointerGetAttribute is not called: some versions dereference an address that they do not
 *       know, and each failure changes what hipGetLastError returns to the program. The driver
 *       records what it has page-locked instead ({@link org.jhal.gpu.natives.PinnedRanges}), also
 *       because most versions accept memory that is already page-locked.
 *   <li>A pool reuses freed memory only for allocations of nearly the same size, so it is trimmed
 *       before an allocation fails.
 *   <li>A grid has at most 2^32 - 1 work items along an axis.
 *   <li>The list that describes packed arguments ends with 3, and its order is fixed. A code object
 *       may declare hidden arguments beyond a kernel's parameters, which the runtime fills in.
 *   <li>Work items of a workgroup run in wavefronts of 64 on some devices:
 *       hipDeviceAttributeWarpSize.
 *   <li>A workgroup may use all of hipDeviceAttributeMaxSharedMemoryPerBlock without asking for it.
 *   <li>There is no name or log for a refused code object: hipModuleLoadData only returns 209 for
 *       one of another architecture.
 * </ul>
 */
@NullMarked
package org.jhal.hip;

import org.jspecify.annotations.NullMarked;
