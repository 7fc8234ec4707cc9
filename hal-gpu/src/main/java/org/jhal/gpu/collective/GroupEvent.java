// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.driver.support.BoundCalls;
import org.jhal.gpu.natives.Undo;
import org.jhal.gpu.runtime.GpuRuntime;

/**
 * A native event that a group records again and again.
 *
 * <p>Freed by one thread, while no other uses it.
 */
final class GroupEvent {
  private final GpuRuntime runtime;
  private long handle; // 0 when it is freed

  private GroupEvent(GpuRuntime runtime, long handle) {
    this.runtime = runtime;
    this.handle = handle;
  }

  /**
   * Creates an event of a device, with the device bound meanwhile.
   *
   * @throws HalException if the runtime refuses, or the device cannot be bound or unbound
   */
  static GroupEvent create(GpuRuntime runtime) {
    List<GroupEvent> made = new ArrayList<>(1);
    return Undo.onFailure(
        () -> {
          BoundCalls.run(
              runtime, () -> made.add(new GroupEvent(runtime, runtime.createEvent(false))));
          return made.get(0);
        },
        () -> made.forEach(GroupEvent::free));
  }

  long handle() {
    return handle;
  }

  void free() {
    long ended = handle;
    handle = 0;
    runtime.giveBack(() -> runtime.destroyEvent(ended));
  }
}
