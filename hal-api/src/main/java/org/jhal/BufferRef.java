// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * The buffer that a command works on: a {@link DeviceBuffer}, or a {@link Slot} of the binding
 * table that is passed when the command buffer is submitted.
 */
public sealed interface BufferRef permits DeviceBuffer, Slot {}
