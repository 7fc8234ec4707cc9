package org.jhal.hip;

import static org.jhal.hip.jna.HipConstants.hipErrorInvalidDevice;
import static org.jhal.hip.jna.HipConstants.hipErrorNoDevice;
import static org.jhal.hip.jna.HipConstants.hipErrorUnknown;

import org.jhal.Status;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.hip.jna.HipRuntime;
import org.jspecify.annotations.Nullable;

/**
 * Maps the runtime's result codes to failures.
 *
 * <p>Codes and their meaning: enum hipError_t of hip_runtime_api.h. Codes that later versions add
 * mean {@link Status#UNKNOWN}.
 */
final class HipResult extends ResultCodes {
  static final HipResult CODES = new HipResult();

  private HipResult() {
    // After these the process has lost the device: every later call fails in the same way.
    mean(Status.UNAVAILABLE, 4, 53); // Deinitialized, PriorLaunchFailure
    mean(Status.UNAVAILABLE, 214, 700); // ECCNotCorrectable, IllegalAddress
    mean(Status.UNAVAILABLE, 702, 709); // LaunchTimeOut, ContextIsDestroyed
    mean(Status.UNAVAILABLE, 710, 719); // Assert, LaunchFailure
    // There is no device.
    mean(Status.UNAVAILABLE, 35, 100, 101); // InsufficientDriver, NoDevice, InvalidDevice
    mean(Status.INVALID_ARGUMENT, 1, 9); // InvalidValue, InvalidConfiguration
    mean(Status.INVALID_ARGUMENT, 12, 13); // InvalidPitchValue, InvalidSymbol
    mean(Status.INVALID_ARGUMENT, 17, 21); // InvalidDevicePointer, InvalidMemcpyDirection
    mean(Status.INVALID_ARGUMENT, 98, 200); // InvalidDeviceFunction, InvalidImage
    mean(Status.INVALID_ARGUMENT, 218, 300); // InvalidKernelFile, InvalidSource
    mean(
        Status.RESOURCE_EXHAUSTED,
        2,
        701,
        1052); // OutOfMemory, LaunchOutOfResources, RuntimeMemory
    mean(
        Status.FAILED_PRECONDITION,
        3,
        401,
        708); // NotInitialized, IllegalState, SetOnActiveProcess
    mean(Status.FAILED_PRECONDITION, 712, 713); // HostMemoryAlreadyRegistered, ..NotRegistered
    mean(
        Status.FAILED_PRECONDITION, 900, 901, 902, 903, 904, 905, 906, 907, 908); // StreamCapture..
    mean(Status.UNIMPLEMENTED, 209, 215, 801); // NoBinaryForGpu, UnsupportedLimit, NotSupported
    mean(Status.UNIMPLEMENTED, 217); // PeerAccessUnsupported
    mean(Status.NOT_FOUND, 301, 302, 500); // FileNotFound, SharedObjectSymbolNotFound, NotFound
    mean(Status.INTERNAL, 201, 303); // InvalidContext, SharedObjectInitFailed
    mean(Status.INTERNAL, 304, 400, 1053); // OperatingSystem, InvalidHandle, RuntimeOther
  }

  @Override
  protected @Nullable String name(int code) {
    String name = HipRuntime.hipGetErrorName(code);
    return name.equals("hipErrorUnknown") && code != hipErrorUnknown ? null : name;
  }

  @Override
  protected String text(int code) {
    return name(code) == null ? "" : HipRuntime.hipGetErrorString(code);
  }

  /**
   * Whether a code means that there is no device; versions differ in the code, and in which call
   * returns it.
   */
  static boolean isNoDevice(int code) {
    return code == hipErrorNoDevice || code == hipErrorInvalidDevice;
  }
}
