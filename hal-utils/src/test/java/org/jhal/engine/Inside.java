package org.jhal.engine;

import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.file.FileStaging;
import org.jhal.engine.group.DeviceGroups;

/** Access to a device's internals for tests of the engine's rooms. */
public final class Inside {
  private Inside() {}

  public static <E> DeviceCore<E> core(EngineDevice<E> device) {
    return device.core();
  }

  public static <E> DeviceGroups<E> groups(EngineDevice<E> device) {
    return device.groups();
  }

  /** The staging memory for files of queue 0. */
  public static FileStaging fileStaging(EngineDevice<?> device) {
    return device.fileStaging(0);
  }
}
