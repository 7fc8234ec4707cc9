package org.jhal.cuda;

import jcuda.driver.CUresult;
import jcuda.driver.JCudaDriver;
import org.jhal.Status;
import org.jhal.driver.gpu.ResultCodes;

/**
 * The one place where the driver API's result codes become failures.
 *
 * <p>Codes and their meaning: enum CUresult of the CUDA driver API.
 */
final class CudaResult extends ResultCodes {
  static final CudaResult CODES = new CudaResult();

  static final int INVALID_VALUE = 1;
  static final int INVALID_PTX = 218;
  static final int NOT_READY = 600;

  private CudaResult() {}

  /** {@code 700 CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)}. */
  @Override
  public String describe(int code) {
    String[] text = new String[1];
    String detail =
        JCudaDriver.cuGetErrorString(code, text) == SUCCESS && text[0] != null
            ? " (" + text[0] + ")"
            : "";
    return code + " " + CUresult.stringFor(code) + detail;
  }

  /**
   * Whether the context is dead after this, so that every later call fails the same way. The
   * reference calls these codes those that leave the process in an inconsistent state.
   */
  static boolean isSticky(int code) {
    return switch (code) {
      case 214, // ECC_UNCORRECTABLE
          220, // NVLINK_UNCORRECTABLE
          226, // CONTAINED
          700, // ILLEGAL_ADDRESS
          702, // LAUNCH_TIMEOUT
          709, // CONTEXT_IS_DESTROYED
          710, // ASSERT
          714, // HARDWARE_STACK_ERROR
          715, // ILLEGAL_INSTRUCTION
          716, // MISALIGNED_ADDRESS
          717, // INVALID_ADDRESS_SPACE
          718, // INVALID_PC
          719, // LAUNCH_FAILED
          721, // TENSOR_MEMORY_LEAK
          4, // DEINITIALIZED
          46, // DEVICE_UNAVAILABLE
          201 -> // INVALID_CONTEXT: somebody has destroyed it
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
      case 1, 200, 218, 300 -> // INVALID_VALUE, INVALID_IMAGE, INVALID_PTX, INVALID_SOURCE
          Status.INVALID_ARGUMENT;
      case 2, 701 -> // OUT_OF_MEMORY, LAUNCH_OUT_OF_RESOURCES
          Status.RESOURCE_EXHAUSTED;
      case 3, 712, 713, 900, 908 -> // NOT_INITIALIZED, ..ALREADY_REGISTERED, ..NOT_REGISTERED,
          // STREAM_CAPTURE_UNSUPPORTED, ..
          Status.FAILED_PRECONDITION;
      case 34, 100, 101, 802, 803, 804 -> // STUB_LIBRARY, NO_DEVICE, INVALID_DEVICE,
          // SYSTEM_NOT_READY, SYSTEM_DRIVER_MISMATCH, COMPAT_NOT_SUPPORTED_ON_DEVICE
          Status.UNAVAILABLE;
      case 209, 221, 222, 223, 801 -> // NO_BINARY_FOR_GPU, JIT_COMPILER_NOT_FOUND,
          // UNSUPPORTED_PTX_VERSION, JIT_COMPILATION_DISABLED, NOT_SUPPORTED
          Status.UNIMPLEMENTED;
      case 301, 500 -> // FILE_NOT_FOUND, NOT_FOUND
          Status.NOT_FOUND;
      case 800 -> Status.PERMISSION_DENIED; // NOT_PERMITTED
      case 304, 400 -> Status.INTERNAL; // OPERATING_SYSTEM, INVALID_HANDLE
      default -> Status.UNKNOWN;
    };
  }
}
