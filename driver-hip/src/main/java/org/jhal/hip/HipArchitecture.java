package org.jhal.hip;

import com.sun.jna.Memory;
import java.util.function.BiFunction;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.hip.jna.HipApi;
import org.jhal.hip.jna.HipDeviceProp;
import org.jhal.hip.jna.HipOptional;

/** Reads the architecture of a device, for which there is no attribute. */
final class HipArchitecture {
  private HipArchitecture() {}

  /**
   * The architecture as compilers and code objects name it, such as {@code gfx90a:sramecc+:xnack-}.
   */
  static String of(SharedLibrary library, int device) {
    HipOptional calls = library.map(HipOptional.class);
    if (library.has("hipGetDevicePropertiesR0600")) {
      return read(
          "hipGetDevicePropertiesR0600",
          HipDeviceProp.R0600,
          calls::hipGetDevicePropertiesR0600,
          device);
    }
    if (library.has("hipGetDevicePropertiesR0000")) {
      return read(
          "hipGetDevicePropertiesR0000",
          HipDeviceProp.R0000,
          calls::hipGetDevicePropertiesR0000,
          device);
    }
    if (!library.has("hipGetDeviceProperties")) {
      throw new HalException(
          Status.UNAVAILABLE, library.path() + " lacks hipGetDeviceProperties, in all its forms");
    }
    return read(
        "hipGetDeviceProperties", HipDeviceProp.R0000, calls::hipGetDeviceProperties, device);
  }

  private static String read(
      String call, HipDeviceProp layout, BiFunction<Memory, Integer, Integer> get, int device) {
    Memory properties = new Memory(HipDeviceProp.MAX_BYTES);
    properties.clear();
    HipResult.CODES.check(call.substring(HipApi.PREFIX.length()), get.apply(properties, device));
    String name = properties.getString(layout.gcnArchName(), "US-ASCII");
    if (!name.matches("[a-z]+_?[0-9a-f]+[a-z]?(:[a-z]+[+-])*")) {
      throw new HalException(
          Status.INTERNAL,
          call + " says that device " + device + " has the architecture '" + name + "'");
    }
    return name;
  }
}
