package org.jhal.hip;

/**
 * The device in terms of the HIP runtime: what {@link org.jhal.Device#unwrap} gives for this type,
 * for programs that use HIP themselves.
 *
 * @param ordinal the device's number, as {@code hipSetDevice} takes it
 */
public record HipNative(int ordinal) {}
