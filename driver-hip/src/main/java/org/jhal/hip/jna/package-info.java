/**
 * The HIP runtime, HIPRTC and the part of AMD's code object manager that is needed, mapped with
 * JNA: the names and the order of the arguments are those of {@code hip_runtime_api.h}, {@code
 * hiprtc.h} and {@code amd_comgr.h}.
 *
 * <p>What a C type is here:
 *
 * <ul>
 *   <li>an opaque handle, such as {@code hipStream_t}: a {@link org.jhal.hip.jna.HipHandle} of that
 *       name. It costs a call 5 ns more than a {@code long} and no garbage (measured on OpenJDK 17;
 *       JNA's own PointerType costs 20 ns);
 *   <li>{@code size_t}, {@code hipDeviceptr_t}, and pointers whose memory is the caller's: {@code
 *       long};
 *   <li>a pointer through which a call returns something: an array with one element, which the
 *       caller may use again;
 *   <li>enums, {@code hipDevice_t} and {@code unsigned}: {@code int}.
 * </ul>
 *
 * <p>All that is in {@link org.jhal.hip.jna.HipRuntime} must be there; of {@link
 * org.jhal.hip.jna.HipOptional} a library may lack anything. Nothing here checks a result.
 */
@NullMarked
package org.jhal.hip.jna;

import org.jspecify.annotations.NullMarked;
