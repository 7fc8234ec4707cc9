package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.hipErrorInvalidDevice;
import static org.jhal.hip.jna.HipConstants.hipErrorNoDevice;
import static org.jhal.hip.jna.HipConstants.hipErrorUnknown;

import org.jhal.Status;
import org.jhal.driver.gpu.ResultCodes;
import org.jhal.hip.jna.HipRuntime;

/**
 * The one place where the runtime's result codes become failures.
 *
 * <p>Codes and their meaning: enum hipError_t of hip_runtime_api.h. Later versions add some; those
 * that are not known here are {@link Status#UNKNOWN}.
 */
final class HipResult extends ResultCodes {
  static final HipResult CODES = new HipResult();

  private HipResult() {}

  /** {@code 700 hipErrorIllegalAddress (an illegal memory access was encountered)}. */
  @Override
  public String describe(int code) {
    String name = HipRuntime.hipGetErrorName(code);
    if (name.equals("hipErrorUnknown") && code != hipErrorUnknown) {
      return code + ", which this runtime has no name for";
    }
    String text = HipRuntime.hipGetErrorString(code);
    return code + " " + name + (text.isEmpty() || text.equals(name) ? "" : " (" + text + ")");
  }

  /**
   * Whether this says that there is no device: versions differ in the code, and in which call
   * returns it.
   */
  static boolean isNoDevice(int code) {
    return code == hipErrorNoDevice || code == hipErrorInvalidDevice;
  }

  /**
   * Whether the device is lost to this process after this, so that every later call fails the same
   * way.
   */
  static boolean isSticky(int code) {
    return switch (code) {
      case 4, // Deinitialized
          53, // PriorLaunchFailure
          214, // ECCNotCorrectable
          700, // IllegalAddress
          702, // LaunchTimeOut
          709, // ContextIsDestroyed
          710, // Assert
          719 -> // LaunchFailure
          true;
      default -> false;
    };
  }

  @Override
  public Status status(int code) {
    if (isSticky(code)) {
      return Status.UNAVAILABLE;
    }
    return switch (code) {
      case 1, 9, 12, 13, 17, 21, 98, 200, 218, 300 -> // InvalidValue, InvalidConfiguration,
          // InvalidPitchValue, InvalidSymbol, InvalidDevicePointer, InvalidMemcpyDirection,
          // InvalidDeviceFunction, InvalidImage, InvalidKernelFile, InvalidSource
          Status.INVALID_ARGUMENT;
      case 2, 701, 1052 -> // OutOfMemory, LaunchOutOfResources, RuntimeMemory
          Status.RESOURCE_EXHAUSTED;
      case 3, 401, 708, 712, 713, 900, 901, 902, 903, 904, 905, 906, 907, 908 -> // NotInitialized,
          // IllegalState, SetOnActiveProcess, HostMemoryAlreadyRegistered, ..NotRegistered,
          // StreamCapture..
          Status.FAILED_PRECONDITION;
      case 35, 100, 101 -> // InsufficientDriver, NoDevice, InvalidDevice
          Status.UNAVAILABLE;
      case 209, 215, 801 -> // NoBinaryForGpu, UnsupportedLimit, NotSupported
          Status.UNIMPLEMENTED;
      case 301, 302, 500 -> // FileNotFound, SharedObjectSymbolNotFound, NotFound
          Status.NOT_FOUND;
      case 201, 303, 304, 400, 1053 -> // InvalidContext, SharedObjectInitFailed, OperatingSystem,
          // InvalidHandle, RuntimeOther
          Status.INTERNAL;
      default -> Status.UNKNOWN;
    };
  }
}
