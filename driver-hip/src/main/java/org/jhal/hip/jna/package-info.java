// SPDX-License-Identifier: Apache-2.0
/**
 * JNA mappings of the HIP runtime, HIPRTC and the required part of AMD's code object manager. The
 * order of the arguments is that of {@code hip_runtime_api.h}, {@code hiprtc.h} and {@code
 * amd_comgr.h}; names lack the prefix.
 *
 * <p>C types are mapped as follows:
 *
 * <ul>
 *   <li>an opaque handle, such as {@code hipStream_t}, {@code size_t}, {@code hipDeviceptr_t}, and
 *       pointers to memory that the caller owns: {@code long};
 *   <li>a pointer through which a call returns something: an array with one element, which the
 *       caller may reuse;
 *   <li>enums, {@code hipDevice_t} and {@code unsigned}: {@code int}.
 * </ul>
 *
 * <p>A library must have all functions of {@link org.jhal.hip.jna.HipApi} and {@link
 * org.jhal.hip.jna.HipSetup}, and may lack others. Nothing here checks results.
 */
@NullMarked
package org.jhal.hip.jna;

import org.jspecify.annotations.NullMarked;
