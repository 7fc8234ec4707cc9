// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.product;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import org.jhal.DeviceBuffer;
import org.jhal.ExternalWork;
import org.jhal.HalException;
import org.jhal.Status;

/** cuBLAS or hipBLAS. */
final class VendorBlas implements Blas {
  private static final long NONE = 0;

  private final BlasLibrary library;
  private final Memory factors = new Memory(2 * Float.BYTES); // 1 and 0
  private final long one = Pointer.nativeValue(factors); // as long as factors is reachable
  private final long zero = one + Float.BYTES;
  private long handle = NONE; // while it is open
  private long stream = NONE; // the last one that the library was given

  VendorBlas(BlasLibrary library) {
    this.library = library;
    factors.setFloat(0, 1);
    factors.setFloat(Float.BYTES, 0);
  }

  private void check(int status, String function) {
    if (status != 0) {
      throw new HalException(
          Status.ABORTED, library.name() + function + " returned status " + status);
    }
  }

  @Override
  public String name() {
    return library.name();
  }

  @Override
  public void open() {
    long[] made = {NONE};
    check(library.create(made), "Create");
    handle = made[0];
    stream = NONE;
  }

  /**
   * The library's matrices go column by column, so it sees each of ours transposed: {@code c' = b'
   * * a'}.
   */
  @Override
  public void multiply(
      ExternalWork.Context context, int n, DeviceBuffer a, DeviceBuffer b, DeviceBuffer c) {
    if (handle == NONE) {
      throw new IllegalStateException("the library is not open");
    }
    long lent = context.stream();
    if (lent != stream) {
      check(library.setStream(handle, lent), "SetStream");
      stream = lent;
    }
    int asItIs = library.noTranspose();
    check(
        library.sgemm(
            handle,
            asItIs,
            asItIs,
            n,
            n,
            n,
            one,
            context.address(b),
            n,
            context.address(a),
            n,
            zero,
            context.address(c),
            n),
        "Sgemm");
  }

  @Override
  public void close() {
    if (handle != NONE) {
      check(library.destroy(handle), "Destroy");
      handle = NONE;
    }
  }
}
