// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.base;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.options.EngineConfig;
import org.jspecify.annotations.Nullable;

/**
 * Which other devices' memory the operations of a device can use (rule S9b).
 *
 * <p>Thread-safe.
 */
public final class Peers {
  private final DeviceCore<?> device;
  private final DeviceBackend<?> backend;
  private final EngineConfig config;

  // The devices whose memory can be used from now on. Only their users keep them, and a
  // device that is opened again is another one.
  private final Set<DeviceCore<?>> enabled =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  Peers(DeviceCore<?> device, DeviceBackend<?> backend, EngineConfig config) {
    this.device = device;
    this.backend = backend;
    this.config = config;
  }

  /** Why operations cannot use the memory of {@code owner}, another device; null if they can. */
  public @Nullable String refusal(DeviceCore<?> owner) {
    if (!config.sharesMemory()) {
      return notShared();
    }
    if (!owner.peers().config.sharesMemory()) {
      return owner.peers().notShared();
    }
    return backend.noAccess(owner.backend());
  }

  /** See {@link org.jhal.Device#canAccess}. */
  public boolean canAccess(DeviceCore<?> other) {
    return !device.isClosed() && !other.isClosed() && (other == device || refusal(other) == null);
  }

  private String notShared() {
    return device.name()
        + " was opened with peers="
        + (config.sharesEvents() ? "events" : "none")
        + "; memory is shared with peers=memory only";
  }

  public boolean isEnabled(DeviceCore<?> owner) {
    return enabled.contains(owner);
  }

  /**
   * Makes it so that operations can use the memory of {@code owner}, which is held meanwhile. For a
   * thread that has bound this device, and may block.
   */
  public void enable(DeviceCore<?> owner) {
    if (!isEnabled(owner)) {
      backend.enableAccess(owner.backend());
      boolean unused = enabled.add(owner);
    }
  }
}
