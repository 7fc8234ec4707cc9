package org.jhal.engine;

import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.queue.EngineSemaphore;
import org.jspecify.annotations.Nullable;

/**
 * The owner of a semaphore, which is all that a device has of it: a semaphore lives on its own. The
 * device keeps this object reachable until the semaphore is closed.
 */
final class SemaphoreOwner extends Owner {
  /** The place of the semaphore in its device's statistics. */
  private static final class Place extends RefCounted {
    private final DeviceResources resources;
    private @Nullable SemaphoreOwner owner; // written before any other thread sees this object

    Place(DeviceResources resources) {
      this.resources = resources;
    }

    /** The program closes the semaphore. */
    void close() {
      SemaphoreOwner own = owner;
      if (own != null) {
        own.close();
      }
    }

    @Override
    protected void destroy() {
      SemaphoreOwner own = owner;
      if (own != null) {
        resources.semaphores().remove(own);
      }
    }
  }

  private final String device;
  private final String name;

  private SemaphoreOwner(EngineSemaphore handle, Place place, DeviceCore<?> device) {
    super(handle, place, device.tracesLeaks(), "semaphore");
    this.device = device.name();
    this.name = handle.toString();
    place.owner = this;
  }

  /** Makes a semaphore that counts for {@code device} until it is closed. */
  static EngineSemaphore make(long initialValue, DeviceCore<?> device) {
    Place place = new Place(device.resources());
    EngineSemaphore semaphore = new EngineSemaphore(initialValue, place::close);
    device.resources().semaphores().add(new SemaphoreOwner(semaphore, place, device));
    return semaphore;
  }

  @Override
  String describe() {
    return name + " of " + device;
  }
}
