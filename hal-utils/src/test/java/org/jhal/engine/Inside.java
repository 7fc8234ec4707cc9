package org.jhal.engine;

import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.group.DeviceGroups;
import org.jhal.engine.transfer.FileStaging;

/** What tests of the engine's rooms need from the inside of a device. */
public final class Inside {
  private Inside() {}

  public static <E> DeviceCore<E> core(EngineDevice<E> device) {
    return device.core();
  }

  public static <E> DeviceGroups<E> groups(EngineDevice<E> device) {
    return device.groups();
  }

  /** The memory through which queue 0 reads and writes files. */
  public static FileStaging fileStaging(EngineDevice<?> device) {
    return device.fileStaging(0);
  }
}
