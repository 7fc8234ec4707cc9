// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.kernel;

import java.util.Arrays;
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

  // Written before any other thread sees this object.
  private long[]
      kernelNumbers = {}; // not the kernels, which would keep the user's handle reachable

  LoadedModule(DeviceCore<?> device, String name, KernelModule module) {
    super(device.resources().executables);
    this.device = device;
    this.name = name;
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
  protected void unused() {
    device.calls().free("an executable", this::endOnce);
  }

  @Override
  protected void endNative() {
    try {
      module.unload();
    } finally {
      Arrays.stream(kernelNumbers).forEach(Names::remove);
    }
  }
}
