// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.lang.invoke.MethodHandle;
import java.util.List;
import org.jhal.driver.workgroup.JavaModule;

/** Kernels of a device that counts them. */
final class MockModule extends JavaModule {
  private final MockDevice device;

  MockModule(MockDevice device, List<MethodHandle> kernels) {
    super(kernels);
    this.device = device;
  }

  @Override
  public void unload() {
    device.dropModule();
    device.check("unload");
  }
}
