// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jhal.BufferParams;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.driver.support.ReusableEvent;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;

/** An open device: its streams, memory and kernels. */
class TinyDevice implements DeviceBackend<ReusableEvent<CountDownLatch>> {
  private final DeviceInfo info;
  final MemoryBudget budget;

  TinyDevice(DeviceInfo info) {
    this.info = info;
    this.budget = new MemoryBudget(info.uri(), info.memoryBytes());
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  @Override
  public Set<String> executableFormats() {
    return Set.of(TinyModule.FORMAT);
  }

  @Override
  public NativeStream<ReusableEvent<CountDownLatch>> createStream(int index) {
    return new TinyStream(this, info.driver() + "-" + info.index() + "-stream" + index);
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return new TinyMemory(budget, bytes);
  }

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    return TinyModule.load(source, variant, kernels);
  }

  @Override
  public void close() {}
}
