package org.jhal.engine;

import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.engine.queue.DeferredWorkQueue;
import org.jhal.spi.Explainable;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/** Tells the open operations of one device. Its shutdown keeps it reachable. Thread-safe. */
final class DeviceExplanation implements Explainable {
  private final DeviceCore<?> device;

  DeviceExplanation(DeviceCore<?> device) {
    this.device = device;
  }

  @Override
  public String name() {
    return device.name();
  }

  @Override
  public @Nullable HalException lostCause() {
    return device.lostCause();
  }

  @Override
  public void tellOpen(Consumer<OpenOperation> looker) {
    for (DeferredWorkQueue<?> queue : device.queues()) {
      queue.tellOpen(looker);
    }
  }
}
