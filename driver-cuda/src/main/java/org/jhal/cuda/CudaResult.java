// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import org.jhal.Status;
import org.jhal.gpu.natives.ResultCodes;

/** The meaning of the driver API's result codes: enum CUresult. */
final class CudaResult {
  static final ResultCodes CODES =
      new ResultCodes(JCudaApi.API)
          // According to the reference, these leave the process in an inconsistent state: every
          // later call fails in the same way.
          .with(Status.UNAVAILABLE, 4, 46) // DEINITIALIZED, DEVICE_UNAVAILABLE
          .with(Status.UNAVAILABLE, 201, 709) // INVALID_CONTEXT, CONTEXT_IS_DESTROYED
          .with(Status.UNAVAILABLE, 214, 220) // ECC_UNCORRECTABLE, NVLINK_UNCORRECTABLE
          .with(Status.UNAVAILABLE, 226, 721) // CONTAINED, TENSOR_MEMORY_LEAK
          .with(Status.UNAVAILABLE, 700, 717) // ILLEGAL_ADDRESS, INVALID_ADDRESS_SPACE
          .with(Status.UNAVAILABLE, 702, 719) // LAUNCH_TIMEOUT, LAUNCH_FAILED
          .with(Status.UNAVAILABLE, 710, 714) // ASSERT, HARDWARE_STACK_ERROR
          .with(Status.UNAVAILABLE, 715, 718) // ILLEGAL_INSTRUCTION, INVALID_PC
          .with(Status.UNAVAILABLE, 716) // MISALIGNED_ADDRESS
          .with(Status.UNAVAILABLE, 34, 100, 101) // STUB_LIBRARY, NO_DEVICE, INVALID_DEVICE
          // SYSTEM_NOT_READY, SYSTEM_DRIVER_MISMATCH, COMPAT_..
          .with(Status.UNAVAILABLE, 802, 803, 804)
          .with(Status.INVALID_ARGUMENT, 1, 200) // INVALID_VALUE, INVALID_IMAGE
          .with(Status.INVALID_ARGUMENT, 218, 300) // INVALID_PTX, INVALID_SOURCE
          .with(Status.RESOURCE_EXHAUSTED, 2, 701) // OUT_OF_MEMORY, LAUNCH_OUT_OF_RESOURCES
          .with(Status.RESOURCE_EXHAUSTED, 711) // TOO_MANY_PEERS
          .with(Status.FAILED_PRECONDITION, 3) // NOT_INITIALIZED
          // HOST_MEMORY_ALREADY_REGISTERED, ..NOT_REGISTERED
          .with(Status.FAILED_PRECONDITION, 712, 713)
          .with(Status.FAILED_PRECONDITION, 900, 908) // STREAM_CAPTURE_UNSUPPORTED, CAPTURED_EVENT
          .with(Status.UNIMPLEMENTED, 209, 221) // NO_BINARY_FOR_GPU, JIT_COMPILER_NOT_FOUND
          .with(Status.UNIMPLEMENTED, 222, 223) // UNSUPPORTED_PTX_VERSION, JIT_COMPILATION_DISABLED
          .with(Status.UNIMPLEMENTED, 217, 801) // PEER_ACCESS_UNSUPPORTED, NOT_SUPPORTED
          .with(Status.NOT_FOUND, 301, 500) // FILE_NOT_FOUND, NOT_FOUND
          .with(Status.PERMISSION_DENIED, 800) // NOT_PERMITTED
          .with(Status.INTERNAL, 304, 400); // OPERATING_SYSTEM, INVALID_HANDLE

  static final int INVALID_VALUE = 1;
  static final int INVALID_PTX = 218;

  private CudaResult() {}
}
