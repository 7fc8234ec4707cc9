// SPDX-License-Identifier: Apache-2.0
package org.jhal.examples.product;

import com.sun.jna.FunctionMapper;
import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The functions of cuBLAS and hipBLAS, which have the same parameters: <a
 * href="https://docs.nvidia.com/cuda/cublas/">cuBLAS</a>, <a
 * href="https://rocm.docs.amd.com/projects/hipBLAS/">hipBLAS</a>. Each returns a status, which is 0
 * for success. Handles and addresses are numbers.
 *
 * <p>They are native methods, which JNA binds to a library once for each class. Invoking a {@code
 * Function} of JNA takes many times as long, more than a small product.
 *
 * <p>Thread-safe.
 */
abstract class BlasLibrary {
  private static @Nullable BlasLibrary cublas; // once it is bound
  private static @Nullable BlasLibrary hipblas; // once it is bound

  /** Looks where the system's loader looks: {@code LD_LIBRARY_PATH} names further folders. */
  static synchronized BlasLibrary cublas() {
    if (cublas == null) {
      List<String> files = List.of("libcublas.so.13", "libcublas.so.12", "libcublas.so");
      cublas = bind(new Cublas(), files, "_v2");
    }
    return cublas;
  }

  /** Likewise. */
  static synchronized BlasLibrary hipblas() {
    if (hipblas == null) {
      List<String> files = List.of("libhipblas.so.3", "libhipblas.so.2", "libhipblas.so");
      hipblas = bind(new Hipblas(), files, "");
    }
    return hipblas;
  }

  /** The function {@code setStream} of cuBLAS is called cublasSetStream_v2. */
  private static BlasLibrary bind(BlasLibrary functions, List<String> files, String suffix) {
    FunctionMapper names =
        (library, method) -> {
          String name = method.getName();
          return functions.name()
              + Character.toUpperCase(name.charAt(0))
              + name.substring(1)
              + suffix;
        };
    StringBuilder reasons = new StringBuilder();
    for (String file : files) {
      try {
        Native.register(
            functions.getClass(),
            NativeLibrary.getInstance(file, Map.of(Library.OPTION_FUNCTION_MAPPER, names)));
        return functions;
      } catch (UnsatisfiedLinkError e) {
        reasons.append("; ").append(e.getMessage());
      }
    }
    throw new HalException(Status.NOT_FOUND, "no library " + functions.name() + reasons);
  }

  /** Its name, with which its functions begin. */
  abstract String name();

  /** The operation that takes a matrix as it is. */
  abstract int noTranspose();

  abstract int create(long[] handle);

  abstract int destroy(long handle);

  abstract int setStream(long handle, long stream);

  /** {@code c = alpha * a * b + beta * c}, where each matrix goes column by column. */
  abstract int sgemm(
      long handle,
      int operationA,
      int operationB,
      int m,
      int n,
      int k,
      long alpha,
      long a,
      int strideA,
      long b,
      int strideB,
      long beta,
      long c,
      int strideC);

  private static final class Cublas extends BlasLibrary {
    @Override
    String name() {
      return "cublas";
    }

    @Override
    int noTranspose() {
      return 0;
    }

    @Override
    native int create(long[] handle);

    @Override
    native int destroy(long handle);

    @Override
    native int setStream(long handle, long stream);

    @Override
    native int sgemm(
        long handle,
        int operationA,
        int operationB,
        int m,
        int n,
        int k,
        long alpha,
        long a,
        int strideA,
        long b,
        int strideB,
        long beta,
        long c,
        int strideC);
  }

  private static final class Hipblas extends BlasLibrary {
    @Override
    String name() {
      return "hipblas";
    }

    @Override
    int noTranspose() {
      return 111;
    }

    @Override
    native int create(long[] handle);

    @Override
    native int destroy(long handle);

    @Override
    native int setStream(long handle, long stream);

    @Override
    native int sgemm(
        long handle,
        int operationA,
        int operationB,
        int m,
        int n,
        int k,
        long alpha,
        long a,
        int strideA,
        long b,
        int strideB,
        long beta,
        long c,
        int strideC);
  }
}
