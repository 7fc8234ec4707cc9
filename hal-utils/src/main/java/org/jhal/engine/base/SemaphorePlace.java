// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import org.jhal.engine.timeline.EngineSemaphore;

/**
 * The place of a semaphore in its device's statistics, which is all that a device has of it: a
 * semaphore lives on its own.
 */
public final class SemaphorePlace extends Owned {
  private final DeviceCore<?> device;
  private String name = ""; // written before any other thread sees this object

  private SemaphorePlace(DeviceCore<?> device) {
    super(device.resources().semaphores);
    this.device = device;
  }

  /** Makes a semaphore that counts for {@code device} until it is closed. */
  public static EngineSemaphore make(long initialValue, DeviceCore<?> device) {
    SemaphorePlace place = new SemaphorePlace(device);
    EngineSemaphore semaphore = new EngineSemaphore(initialValue, () -> place.owner().close());
    place.name = semaphore.toString();
    place.ownedBy(semaphore, device.tracesLeaks());
    return semaphore;
  }

  @Override
  protected void endNative() {}

  @Override
  protected String describe() {
    return name + " of " + device.name();
  }
}
