package org.jhal.hip;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.hip.jna.HipDeviceProp;

/** Reads the architecture of a device, for which there is no attribute. */
final class HipArchitecture {
  private HipArchitecture() {}

  /**
   * The architecture as compilers and code objects name it, such as {@code gfx90a:sramecc+:xnack-}.
   */
  static String of(SharedLibrary library, int device) {
    for (HipDeviceProp layout : HipDeviceProp.ALL) {
      Function query = library.optional(layout.function());
      if (query != null) {
        return read(query, layout, device);
      }
    }
    throw new HalException(
        Status.UNAVAILABLE, library.path() + " lacks hipGetDeviceProperties, in all its forms");
  }

  private static String read(Function query, HipDeviceProp layout, int device) {
    Memory properties = new Memory(HipDeviceProp.MAX_BYTES);
    properties.clear();
    HipResult.CODES.check(
        layout.function().substring("hip".length()),
        query.invokeInt(new Object[] {properties, device}));
    String name = properties.getString(layout.gcnArchName(), "US-ASCII");
    if (!name.matches("[a-z]+_?[0-9a-f]+[a-z]?(:[a-z]+[+-])*")) {
      throw new HalException(
          Status.INTERNAL,
          "%s says that device %s has the architecture '%s'"
              .formatted(layout.function(), device, name));
    }
    return name;
  }
}
