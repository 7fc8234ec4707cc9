// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.natives;

import java.util.List;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * A vendor's runtime that is loaded and initialised, and what all its devices share. Devices with
 * the same library can share events and memory.
 *
 * <p>Thread-safe.
 */
public final class GpuLibrary {
  private final GpuVendor vendor;
  private final SharedLibrary library;
  private final int number;
  private final String version;
  private final String noGraphs; // why there are none; empty if there are
  private final PinnedRanges pinned = new PinnedRanges();
  private final LaunchGate gate = new LaunchGate();

  /**
   * Initialises the runtime.
   *
   * @param library loaded; the functions of {@link GpuSetup} are bound to it
   * @param number the version as the runtime encodes it
   * @param version the same, for people
   * @param noGraphs why this version's graphs are not used; empty to use them if the library has
   *     all their functions
   * @throws HalException UNAVAILABLE if that fails, or there is no device
   */
  public GpuLibrary(
      GpuVendor vendor, SharedLibrary library, int number, String version, String noGraphs) {
    this.vendor = vendor;
    this.library = library;
    this.number = number;
    this.version = version;
    checkInitialised("init", vendor.codes().functions().setup().init(0));
    int unused = countDevices();
    List<String> missing =
        noGraphs.isEmpty() ? library.missing(vendor.graphs().symbols()) : List.of();
    this.noGraphs =
        missing.isEmpty() ? noGraphs : library.path() + " lacks " + String.join(", ", missing);
    if (hasGraphs()) {
      vendor.graphs().bind(library);
    }
  }

  /**
   * Counts the devices; there is at least one.
   *
   * @throws HalException UNAVAILABLE if that fails, or there is none
   */
  public int countDevices() {
    int[] count = new int[1];
    checkInitialised("getDeviceCount", vendor.codes().functions().setup().getDeviceCount(count));
    if (count[0] == 0) {
      throw new HalException(Status.UNAVAILABLE, described() + " finds no device");
    }
    return count[0];
  }

  /** Versions differ in the code for no device, and in the call that returns it. */
  private void checkInitialised(String function, int code) {
    if (code != ResultCodes.SUCCESS) {
      boolean isNoDevice = code == GpuApi.NO_DEVICE || code == GpuApi.INVALID_DEVICE;
      HalException failure =
          vendor.codes().failure(function, code, described() + " cannot be initialised");
      throw new HalException(
          Status.UNAVAILABLE,
          isNoDevice ? described() + " finds no device" : failure.getMessage(),
          null,
          failure.nativeCode());
    }
  }

  private String described() {
    return title() + " (" + library.path() + ")";
  }

  public GpuVendor vendor() {
    return vendor;
  }

  /** The runtime with its version, for people. */
  public String title() {
    return vendor.runtime() + " " + version;
  }

  /** The version as the runtime encodes it. */
  public int number() {
    return number;
  }

  /** The native library. */
  public SharedLibrary library() {
    return library;
  }

  /** Whether graphs can be used. */
  public boolean hasGraphs() {
    return noGraphs.isEmpty();
  }

  /** Whether graphs can be used, and if not, why; for people. */
  public String graphs() {
    return hasGraphs() ? "available" : "not available: " + noGraphs;
  }

  /** The ranges of host memory that the devices have page-locked. */
  public PinnedRanges pinned() {
    return pinned;
  }

  /** Keeps launches and frees of the devices apart. */
  public LaunchGate gate() {
    return gate;
  }
}
