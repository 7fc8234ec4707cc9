package org.jhal.engine.kernel;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.driver.KernelModule;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owned;
import org.jhal.engine.flightrecorder.Names;

/**
 * The module behind an {@link EngineExecutable}. Operations and recordings share it.
 *
 * <p>Thread-safe.
 */
final class LoadedModule extends Owned {
  private final DeviceCore<?> device;
  private final String name; // of the bundle
  private final KernelModule module;
  private final AtomicBoolean isUnloaded = new AtomicBoolean(); // set once
  private volatile boolean isUnused; // the last reference is gone

  // Written before any other thread sees this object.
  private long[]
      kernelNumbers = {}; // not the kernels, which would keep the user's handle reachable

  LoadedModule(DeviceCore<?> device, String name, KernelModule module) {
    this.name = name;
    this.device = device;
    this.module = module;
  }

  /** Sets its kernels' numbers in the flight recorder. */
  void setKernelNumbers(long[] numbers) {
    kernelNumbers = numbers;
  }

  KernelModule module() {
    return module;
  }

  @Override
  protected String describe() {
    return "the executable " + name + " of " + device.name();
  }

  @Override
  protected void endWithDevice() {
    unload();
  }

  @Override
  protected void destroy() {
    isUnused = true;
    device.calls().free("an executable", this::unload);
    endIfOver();
  }

  /**
   * Removes it from the device's resources once it is both unused and unloaded, in either order:
   * closing the device unloads it while it is still in use.
   */
  @Override
  protected void endIfOver() {
    if (isUnused && isUnloaded.get()) {
      device.resources().executables.remove(this);
    }
  }

  /** Unloads the module once: with the last reference, or when the device closes. */
  void unload() {
    if (isUnloaded.compareAndSet(false, true)) {
      try {
        module.unload();
      } finally {
        Arrays.stream(kernelNumbers).forEach(Names::remove);
      }
    }
  }
}
