package org.jhal.examples.product;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.FloatByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.List;
import java.util.Objects;
import org.jhal.DeviceBuffer;
import org.jhal.ExternalWork;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * cuBLAS or hipBLAS, called through JNA. Both have the same functions, with other names: <a
 * href="https://docs.nvidia.com/cuda/cublas/">cuBLAS</a>, <a
 * href="https://rocm.docs.amd.com/projects/hipBLAS/">hipBLAS</a>.
 */
final class VendorBlas implements Blas {
  private final String name;
  private final int noTranspose; // the operation that takes a matrix as it is
  private final Function create;
  private final Function destroy;
  private final Function setStream;
  private final Function sgemm;
  private final FloatByReference one = new FloatByReference(1);
  private final FloatByReference zero = new FloatByReference(0);
  private @Nullable Pointer handle;

  private VendorBlas(String name, List<String> files, String suffix, int noTranspose) {
    this.name = name;
    this.noTranspose = noTranspose;
    NativeLibrary library = load(name, files);
    create = library.getFunction(name + "Create" + suffix);
    destroy = library.getFunction(name + "Destroy" + suffix);
    setStream = library.getFunction(name + "SetStream" + suffix);
    sgemm = library.getFunction(name + "Sgemm" + suffix);
  }

  static VendorBlas cublas() {
    List<String> files = List.of("libcublas.so.13", "libcublas.so.12", "libcublas.so");
    return new VendorBlas("cublas", files, "_v2", 0);
  }

  static VendorBlas hipblas() {
    List<String> files = List.of("libhipblas.so.3", "libhipblas.so.2", "libhipblas.so");
    return new VendorBlas("hipblas", files, "", 111);
  }

  /** Looks where the system's loader looks: {@code LD_LIBRARY_PATH} names further folders. */
  private static NativeLibrary load(String name, List<String> files) {
    StringBuilder reasons = new StringBuilder();
    for (String file : files) {
      try {
        return NativeLibrary.getInstance(file);
      } catch (UnsatisfiedLinkError e) {
        reasons.append("; ").append(e.getMessage());
      }
    }
    throw new HalException(Status.NOT_FOUND, "no library " + name + reasons);
  }

  private void call(Function function, Object... arguments) {
    int status = function.invokeInt(arguments);
    if (status != 0) {
      throw new HalException(Status.ABORTED, function.getName() + " returned status " + status);
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void open() {
    PointerByReference made = new PointerByReference();
    call(create, made);
    handle = made.getValue();
  }

  /**
   * The library's matrices go column by column, so it sees each of ours transposed: {@code c' = b'
   * * a'}.
   */
  @Override
  public void multiply(
      ExternalWork.Context context, int n, DeviceBuffer a, DeviceBuffer b, DeviceBuffer c) {
    Pointer opened = Objects.requireNonNull(handle, "the library is not open");
    call(setStream, opened, new Pointer(context.stream()));
    call(
        sgemm,
        opened,
        noTranspose,
        noTranspose,
        n,
        n,
        n,
        one,
        new Pointer(context.address(b)),
        n,
        new Pointer(context.address(a)),
        n,
        zero,
        new Pointer(context.address(c)),
        n);
  }

  @Override
  public void close() {
    if (handle != null) {
      call(destroy, handle);
      handle = null;
    }
  }
}
