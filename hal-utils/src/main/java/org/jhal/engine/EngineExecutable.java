package org.jhal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.Executable;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Status;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.KernelModule;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.engine.concurrent.RefCounted;

/**
 * Kernels that a {@link DeviceBackend} has loaded.
 *
 * <p>Thread-safe.
 */
final class EngineExecutable extends RefCounted implements Executable {
  private final EngineDevice<?> device;
  private final String name;
  private final String format;
  private final List<String> refusals;
  private final List<Kernel> kernels;
  private final KernelModule module;
  // These go from false to true once; any thread may write and read them.
  private final AtomicBoolean isClosed = new AtomicBoolean();
  private final AtomicBoolean isUnloaded = new AtomicBoolean();
  private volatile boolean isUnused; // the last reference is gone

  EngineExecutable(
      EngineDevice<?> device,
      String name,
      String format,
      List<String> refusals,
      List<KernelSpec> specs,
      KernelModule module) {
    this.device = device;
    this.name = name;
    this.format = format;
    this.refusals = List.copyOf(refusals);
    this.module = module;
    List<Kernel> made = new ArrayList<>();
    for (KernelSpec spec : specs) {
      made.add(
          new EngineKernel(
              this, made.size(), spec, device.info().maxWorkgroupCount(), module.maxWorkItems()));
    }
    this.kernels = List.copyOf(made);
  }

  @Override
  public EngineDevice<?> device() {
    return device;
  }

  /** The bundle's name, for messages. */
  String name() {
    return name;
  }

  /** The module that the driver loaded. */
  KernelModule module() {
    return module;
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
        "no kernel '"
            + wanted
            + "' in "
            + name
            + "; it has "
            + kernels.stream().map(Kernel::name).toList());
  }

  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      release();
    }
  }

  void checkOpen() {
    if (isClosed.get()) {
      throw new HalException(Status.FAILED_PRECONDITION, "executable " + name + " is closed");
    }
  }

  @Override
  protected void destroy() {
    isUnused = true;
    device.calls().free("an executable", this::unload);
    endIfOver();
  }

  /**
   * Removes it from the device's resources once it is both unused and unloaded. Either may come
   * last, since closing the device unloads it too.
   */
  void endIfOver() {
    if (isUnused && isUnloaded.get()) {
      device.resources().remove(this);
    }
  }

  /** Unloads the module, once: when the last reference is gone, or when the device is closed. */
  void unload() {
    if (isUnloaded.compareAndSet(false, true)) {
      module.unload();
    }
  }

  @Override
  public String toString() {
    return "executable " + name + " of " + device;
  }
}
