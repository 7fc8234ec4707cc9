// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

/**
 * The device in terms of the CUDA driver API, from {@link org.jhal.Device#unwrap}, for programs
 * that use CUDA themselves.
 *
 * @param context the device's primary context, a {@code CUcontext}. It stays valid as long as the
 *     device is open; the program must not destroy it.
 * @param ordinal the device's number, as {@code cuDeviceGet} takes it
 */
public record CudaNative(long context, int ordinal) {}
