package org.jhal;

/**
 * What a command works on: a {@link DeviceBuffer} directly, or a {@link Slot} of the binding table
 * that is given when the command buffer is submitted.
 */
public sealed interface BufferRef permits DeviceBuffer, Slot {}
