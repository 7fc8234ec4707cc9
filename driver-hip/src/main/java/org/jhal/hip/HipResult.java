// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import org.jhal.Status;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.hip.jna.HipApi;

/**
 * The meaning of the runtime's result codes: enum hipError_t of hip_runtime_api.h. Codes of later
 * versions mean {@link Status#UNKNOWN}.
 */
final class HipResult {
  static final ResultCodes CODES =
      new ResultCodes(HipApi.API)
          // After these the process has lost the device: every later call fails in the same way.
          .with(Status.UNAVAILABLE, 4, 53) // Deinitialized, PriorLaunchFailure
          .with(Status.UNAVAILABLE, 214, 700) // ECCNotCorrectable, IllegalAddress
          .with(Status.UNAVAILABLE, 702, 709) // LaunchTimeOut, ContextIsDestroyed
          .with(Status.UNAVAILABLE, 710, 719) // Assert, LaunchFailure
          // There is no device.
          .with(Status.UNAVAILABLE, 35, 100, 101) // InsufficientDriver, NoDevice, InvalidDevice
          .with(Status.INVALID_ARGUMENT, 1, 9) // InvalidValue, InvalidConfiguration
          .with(Status.INVALID_ARGUMENT, 12, 13) // InvalidPitchValue, InvalidSymbol
          .with(Status.INVALID_ARGUMENT, 17, 21) // InvalidDevicePointer, InvalidMemcpyDirection
          .with(Status.INVALID_ARGUMENT, 98, 200) // InvalidDeviceFunction, InvalidImage
          .with(Status.INVALID_ARGUMENT, 218, 300) // InvalidKernelFile, InvalidSource
          // OutOfMemory, LaunchOutOfResources, RuntimeMemory
          .with(Status.RESOURCE_EXHAUSTED, 2, 701, 1052)
          // NotInitialized, IllegalState, SetOnActiveProcess
          .with(Status.FAILED_PRECONDITION, 3, 401, 708)
          // HostMemoryAlreadyRegistered, ..NotRegistered
          .with(Status.FAILED_PRECONDITION, 712, 713)
          // StreamCapture..
          .with(Status.FAILED_PRECONDITION, 900, 901, 902, 903, 904, 905, 906, 907, 908)
          // NoBinaryForGpu, UnsupportedLimit, NotSupported
          .with(Status.UNIMPLEMENTED, 209, 215, 801)
          .with(Status.UNIMPLEMENTED, 217) // PeerAccessUnsupported
          // FileNotFound, SharedObjectSymbolNotFound, NotFound
          .with(Status.NOT_FOUND, 301, 302, 500)
          .with(Status.INTERNAL, 201, 303) // InvalidContext, SharedObjectInitFailed
          .with(Status.INTERNAL, 304, 400, 1053); // OperatingSystem, InvalidHandle, RuntimeOther

  private HipResult() {}
}
