// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.product;

import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.ExternalWork;

/**
 * A library that multiplies matrices, called in {@link ExternalWork}. Its methods are called on the
 * thread of a queue, with the device current, by one thread at a time.
 */
public interface Blas {
  /** The library for a device: cuBLAS, hipBLAS, or a few loops where work runs on the host. */
  static Blas of(Device device) {
    return switch (device.info().driver()) {
      case "cuda" -> new VendorBlas(BlasLibrary.cublas());
      case "hip" -> new VendorBlas(BlasLibrary.hipblas());
      default -> new HostBlas();
    };
  }

  /** Its name in tables. */
  String name();

  /** Makes the library ready, which may take long and allocate memory. */
  void open();

  /**
   * {@code c = a * b}, for square matrices of 32-bit floating point, row by row. Enqueues that on
   * the lent stream.
   *
   * @param n rows and columns
   */
  void multiply(
      ExternalWork.Context context, int n, DeviceBuffer a, DeviceBuffer b, DeviceBuffer c);

  /** Ends the use of the library, when no work of it is open. */
  void close();
}
