// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/** An optional feature of a device. All other features are available on every device. */
public enum Capability {
  /** Buffers over the caller's own memory; see {@link Allocator#importHost}. */
  HOST_IMPORT,
  /** Buffers of type {@link MemoryType#SHARED}. */
  SHARED_MEMORY,
  /**
   * Use of the native runtime alongside JHAL: {@link ExternalWork} gets a native stream and device
   * addresses, {@link Allocator#importDevice} imports native memory, and {@link
   * DeviceQueue#importEvent} native events.
   */
  NATIVE_ACCESS,
  /**
   * Buffers are memory of the process: {@link ExternalWork} gets both the bytes and the addresses
   * of its buffers, and {@link Allocator#importDevice} takes an address of the process. Such a
   * device has no native stream to lend, and does not offer {@link #NATIVE_ACCESS}.
   */
  HOST_ADDRESSES,
  /**
   * In kernels in C++, a cast of a floating-point number that is beyond the range of the integer
   * gives the nearest integer of 32 or 64 bits, and a cast of a {@code float} that is NaN to an
   * integer of at most 32 bits gives 0; smaller integers are the lower bits. On other devices, such
   * casts give any integer.
   */
  SATURATING_CASTS,
  /**
   * Kernels in C++ keep numbers of {@code float} and {@code __nv_bfloat16} that are nearer to zero
   * than the smallest normal one (subnormal). Other devices may take those for zeros of the same
   * sign, as operands and as results.
   */
  SUBNORMALS,
  /**
   * Variables of the code of kernels as buffers; see {@link Executable#global}. Not of kernels in
   * Java.
   */
  KERNEL_GLOBALS,
  /** Dispatches whose grid the device reads from a buffer; see {@link IndirectWorkgroups}. */
  INDIRECT_DISPATCH,
  /**
   * Kernels whose workgroups wait for each other: {@code cooperative_groups::this_grid().sync()} in
   * C++, {@link org.jhal.kernel.Workgroup#syncGrid} in Java. Other devices refuse to load a bundle
   * with a cooperative kernel, with UNIMPLEMENTED and the reason (rule M6b).
   */
  COOPERATIVE_DISPATCH,
  /**
   * Priorities of queues have an effect; see {@link QueueRequest#priority}. On other devices all
   * queues have the same, and {@link QueueGrant#priority} says so.
   */
  QUEUE_PRIORITY,
  /** Queues with compute units of their own; see {@link QueueRequest#share}. */
  QUEUE_SHARE,
  /**
   * The time of each command of a command buffer can be recorded, with its {@link
   * CommandBuffer#label}: by the event {@code org.jhal.CommandExecution} (docs/tracing.md). Other
   * devices have the time of the command buffer as a whole.
   */
  COMMAND_TIMES
}
