// SPDX-License-Identifier: Apache-2.0
package org.jhal.vulkan;

/** A stream for copies alone, each of which is submitted when it is marked. */
final class OwnCopies extends StreamCopies {
  /**
   * Without copies yet.
   *
   * @param leastForKernel as in {@link Recording}
   */
  OwnCopies(LogicalDevice device, long leastForKernel) {
    super(device, new CommandStream(device, leastForKernel));
  }

  @Override
  public long mark() {
    long value = stream().endOperation();
    stream().flush();
    return value;
  }

  @Override
  public void await(long mark) {
    stream().timeline().await(mark);
  }

  @Override
  public void close() {
    boolean unused = stream().discard();
    stream().close();
  }
}
