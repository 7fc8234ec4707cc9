// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.Hal;
import org.jhal.HalMXBean;
import org.jhal.Registration;

/**
 * The open devices that {@link Hal#explain} and {@link Hal#deviceStates} report. They are
 * referenced weakly, so an unreachable device can be collected even if it was not unregistered. The
 * JMX bean exists while at least one device is registered; see {@link HalMXBean}.
 *
 * <p>Thread-safe.
 */
public final class Explanations {
  // Oldest first. Guarded by itself.
  private static final List<WeakReference<Explainable>> ALL = new ArrayList<>();

  private Explanations() {}

  /**
   * Registers an open device, unless it is already registered. The caller must keep it reachable.
   */
  public static void register(Explainable device) {
    Objects.requireNonNull(device, "device");
    synchronized (ALL) {
      remove(device);
      ALL.add(new WeakReference<>(device));
    }
    BeanThread.update();
  }

  /** Unregisters a device, once it has no open operation any more. */
  public static void unregister(Explainable device) {
    Objects.requireNonNull(device, "device");
    synchronized (ALL) {
      remove(device);
    }
    BeanThread.update();
  }

  /** Removes {@code device}, and all devices that were collected. The caller holds the lock. */
  private static void remove(Explainable device) {
    ALL.removeIf(
        reference -> {
          Explainable kept = reference.get();
          return kept == null || kept == device;
        });
  }

  /**
   * Has {@code listener} called soon after a device was registered or unregistered, for monitoring.
   * Several changes may be reported by one call. A thread that ends afterwards calls the listeners
   * one after the other; what they throw is logged. The listener stays reachable until the
   * registration is cancelled.
   *
   * @return to cancel; {@link Registration#cancel} returns whether it was not cancelled before. A
   *     call that has begun continues
   */
  public static Registration onChange(Runnable listener) {
    return BeanThread.listen(Objects.requireNonNull(listener, "listener"));
  }

  /** Returns the registered devices, oldest first. */
  public static List<Explainable> all() {
    List<Explainable> all = new ArrayList<>();
    synchronized (ALL) {
      for (WeakReference<Explainable> reference : ALL) {
        Explainable device = reference.get();
        if (device != null) {
          all.add(device);
        }
      }
    }
    return all;
  }
}
