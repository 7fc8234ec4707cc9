// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.kernel;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owner;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.kernels.bundle.KernelSpec;

/**
 * The user's handle to loaded kernels, each of which keeps it reachable.
 *
 * <p>Thread-safe.
 */
public final class EngineExecutable implements Executable {
  private final DeviceCore<?> device;
  private final String name;
  private final String format;
  private final List<String> refusals;
  private final List<Kernel> kernels;
  private final List<Global> globals;
  private final LoadedModule loaded;
  private final Owner owner;

  // Made when they are first asked for, and closed with the executable. Users get slices.
  private final Map<String, EngineBuffer> memories = new ConcurrentHashMap<>();

  EngineExecutable(
      DeviceCore<?> device,
      String name,
      String format,
      List<String> refusals,
      List<KernelSpec> specs,
      List<Global> globals,
      KernelModule module) {
    this.device = device;
    this.name = name;
    this.format = format;
    this.refusals = List.copyOf(refusals);
    this.globals = globals;
    this.loaded = new LoadedModule(device, name, module);
    List<Kernel> made = new ArrayList<>();
    long[] numbers = new long[specs.size()];
    for (KernelSpec spec : specs) {
      EngineKernel kernel =
          new EngineKernel(
              this, made.size(), spec, device.info().maxWorkgroupCount(), module.maxWorkItems());
      numbers[made.size()] = kernel.number();
      made.add(kernel);
    }
    loaded.setKernelNumbers(numbers);
    this.kernels = List.copyOf(made);
    this.owner = loaded.ownedBy(this, device.tracesLeaks());
  }

  @Override
  public Device device() {
    return device.view();
  }

  DeviceCore<?> core() {
    return device;
  }

  String name() {
    return name;
  }

  /** The resource that work with its kernels retains. */
  public LoadedModule loaded() {
    return loaded;
  }

  KernelModule module() {
    return loaded.module();
  }

  @Override
  public String format() {
    return format;
  }

  @Override
  public List<String> refusals() {
    return refusals;
  }

  @Override
  public List<Kernel> kernels() {
    return kernels;
  }

  @Override
  public Kernel kernel(String wanted) {
    Objects.requireNonNull(wanted, "name");
    for (Kernel kernel : kernels) {
      if (kernel.name().equals(wanted)) {
        return kernel;
      }
    }
    throw new HalException(
        Status.NOT_FOUND,
        "no kernel '%s' in %s; it has %s"
            .formatted(wanted, name, kernels.stream().map(Kernel::name).toList()));
  }

  @Override
  public List<Global> globals() {
    return globals;
  }

  @Override
  public DeviceBuffer global(String wanted) {
    Objects.requireNonNull(wanted, "name");
    checkOpen();
    device.checkUsable();
    List<String> names = globals.stream().map(Global::name).toList();
    int index = names.indexOf(wanted);
    if (index < 0) {
      throw new HalException(
          Status.NOT_FOUND,
          "no global '%s' in %s; its manifest declares %s"
              .formatted(wanted, name, names.isEmpty() ? "none" : names));
    }
    EngineBuffer memory = memories.get(wanted);
    if (memory == null) {
      EngineBuffer made = device.calls().call(() -> memory(index));
      EngineBuffer other = memories.putIfAbsent(wanted, made);
      if (other != null) { // of another thread
        made.close();
      }
      memory = other == null ? made : other;
    }
    if (owner.isClosed()) { // meanwhile: close() may have missed it
      memory.close();
    }
    checkOpen();
    return memory.slice(0, memory.size());
  }

  private EngineBuffer memory(int index) {
    DeviceMemory memory = device.backend().global(module(), index);
    return EngineBuffer.ofGlobal(device, memory, loaded, module(), globals.get(index));
  }

  @Override
  public void close() {
    owner.close();
    memories.values().forEach(EngineBuffer::close);
    Reference.reachabilityFence(this); // otherwise it might be reported as a leak during the close
  }

  void checkOpen() {
    if (owner.isClosed()) {
      throw new HalException(Status.FAILED_PRECONDITION, "executable " + name + " is closed");
    }
  }

  @Override
  public String toString() {
    return "executable " + name + " of " + device;
  }
}
