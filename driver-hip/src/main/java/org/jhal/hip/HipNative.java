// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

/**
 * The device in terms of the HIP runtime, from {@link org.jhal.Device#unwrap}, for programs that
 * use HIP themselves.
 *
 * @param ordinal the device's number, as {@code hipSetDevice} takes it
 */
public record HipNative(int ordinal) {}
