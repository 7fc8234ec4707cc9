// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.*;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.gpu.natives.DeviceReader;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.hip.jna.HipDeviceProp;

/** Reads the properties of devices, which need not be open. */
final class HipAttributes extends DeviceReader {
  HipAttributes() {
    super(
        HipDriver.library(),
        new Attributes(
            hipDeviceAttributeMaxThreadsPerBlock,
            hipDeviceAttributeMaxBlockDimX,
            hipDeviceAttributeMaxGridDimX,
            hipDeviceAttributeMaxSharedMemoryPerBlock,
            hipDeviceAttributeMultiprocessorCount,
            hipDeviceAttributeCooperativeLaunch,
            hipDeviceAttributePciDomainID,
            hipDeviceAttributePciBusId,
            hipDeviceAttributePciDeviceId));
  }

  @Override
  protected String architecture(int ordinal) {
    return architecture(library().library(), ordinal);
  }

  /**
   * The architecture as compilers and code objects name it, such as {@code gfx90a:sramecc+:xnack-}.
   * There is no attribute for it.
   */
  static String architecture(SharedLibrary library, int device) {
    for (HipDeviceProp layout : HipDeviceProp.ALL) {
      Function query = library.optional(layout.function());
      if (query != null) {
        return architecture(query, layout, device);
      }
    }
    throw new HalException(
        Status.UNAVAILABLE, library.path() + " lacks hipGetDeviceProperties, in all its forms");
  }

  private static String architecture(Function query, HipDeviceProp layout, int device) {
    Memory properties = new Memory(HipDeviceProp.MAX_BYTES);
    properties.clear();
    int code = query.invokeInt(new Object[] {properties, device});
    HipResult.CODES.check(layout.function().substring("hip".length()), code);
    String name = properties.getString(layout.gcnArchName(), "US-ASCII");
    if (!name.matches("[a-z]+_?[0-9a-f]+[a-z]?(:[a-z]+[+-])*")) {
      throw new HalException(
          Status.INTERNAL,
          "%s says that device %s has the architecture '%s'"
              .formatted(layout.function(), device, name));
    }
    return name;
  }

  @Override
  protected Map<String, String> properties(int ordinal) {
    return Map.of(
        "architecture", architecture(ordinal),
        "wavefront size", String.valueOf(attribute(ordinal, hipDeviceAttributeWarpSize)),
        "runtime", library().title());
  }
}
