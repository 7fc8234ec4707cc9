// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine;

import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.collective.DeviceCollectives;
import org.jhal.engine.transfer.StagingPool;

/** Access to a device's internals for tests of the engine's rooms. */
public final class Inside {
  private Inside() {}

  public static <E> DeviceCore<E> core(EngineDevice<E> device) {
    return device.core();
  }

  /** The groups that it is in. */
  public static DeviceCollectives collectives(EngineDevice<?> device) {
    return device.collectives();
  }

  /** Closes it as the exit of the JVM does. */
  public static void closeAtExit(EngineDevice<?> device) {
    device.shutdown.closeAtExit();
  }

  /** What files of queue 0 are staged in. */
  public static StagingPool fileStaging(EngineDevice<?> device) {
    return device.staging().get(0);
  }

  /** What is staged between devices. */
  public static StagingPool copyStaging(EngineDevice<?> device) {
    return device.staging().get(device.queueCount());
  }
}
