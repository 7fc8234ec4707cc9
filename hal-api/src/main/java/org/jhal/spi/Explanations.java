package org.jhal.spi;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.Hal;
import org.jhal.HalMXBean;

/**
 * The open devices that {@link Hal#explain} asks. Each is kept weakly: one that nobody uses any
 * more is collected, whether or not it was unregistered. While there is one, the JMX bean exists;
 * see {@link HalMXBean}.
 *
 * <p>Thread-safe.
 */
public final class Explanations {
  // Oldest first. Guarded by itself.
  private static final List<WeakReference<Explainable>> ALL = new ArrayList<>();

  private Explanations() {}

  /** Registers an open device, unless it is registered. The caller keeps it reachable. */
  public static void register(Explainable device) {
    Objects.requireNonNull(device, "device");
    synchronized (ALL) {
      remove(device);
      ALL.add(new WeakReference<>(device));
    }
    BeanThread.update();
  }

  /** Ends {@link #register}, once the device has no open operation any more. */
  public static void unregister(Explainable device) {
    Objects.requireNonNull(device, "device");
    synchronized (ALL) {
      remove(device);
    }
    BeanThread.update();
  }

  /** Removes {@code device}, and those that were collected. Called with the lock held. */
  private static void remove(Explainable device) {
    ALL.removeIf(
        reference -> {
          Explainable kept = reference.get();
          return kept == null || kept == device;
        });
  }

  /** The registered devices, oldest first. */
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
