/**
 * JNA mappings of the HIP runtime, HIPRTC and the required part of AMD's code object manager. The
 * names and the order of the arguments are those of {@code hip_runtime_api.h}, {@code hiprtc.h} and
 * {@code amd_comgr.h}.
 *
 * <p>C types are mapped as follows:
 *
 * <ul>
 *   <li>an opaque handle, such as {@code hipStream_t}: a {@link org.jhal.hip.jna.HipHandle} of that
 *       name. It makes no garbage and is cheaper than JNA's own PointerType
 *       (docs/results/README.md);
 *   <li>{@code size_t}, {@code hipDeviceptr_t}, and pointers to memory that the caller owns: {@code
 *       long};
 *   <li>a pointer through which a call returns something: an array with one element, which the
 *       caller may reuse;
 *   <li>enums, {@code hipDevice_t} and {@code unsigned}: {@code int}.
 * </ul>
 *
 * <p>A library must have all functions of {@link org.jhal.hip.jna.HipRuntime}, and may lack any of
 * {@link org.jhal.hip.jna.HipOptional}. Nothing here checks results.
 */
@NullMarked
package org.jhal.hip.jna;

import org.jspecify.annotations.NullMarked;
