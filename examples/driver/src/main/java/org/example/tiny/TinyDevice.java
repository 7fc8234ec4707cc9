package org.example.tiny;

import java.util.List;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.DeviceInfo;
import org.jhal.ExecutableSource;
import org.jhal.utils.DeviceBackend;
import org.jhal.utils.DeviceMemory;
import org.jhal.utils.KernelModule;
import org.jhal.utils.MemoryBudget;
import org.jhal.utils.NativeStream;
import org.jhal.utils.bundle.KernelSpec;
import org.jhal.utils.bundle.Variant;

/** An open device: its streams, memory and kernels. */
final class TinyDevice implements DeviceBackend<TinyEvent> {
  private final DeviceInfo info;
  private final MemoryBudget budget;

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
  public NativeStream<TinyEvent> createStream(int index) {
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
