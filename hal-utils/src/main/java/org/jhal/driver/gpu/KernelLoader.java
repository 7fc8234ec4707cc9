package org.jhal.driver.gpu;

import com.sun.jna.Memory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.KernelModule;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Variant;

/**
 * Loads kernels for a device, and checks what its runtime can tell of them against the manifest.
 *
 * <p>Thread-safe. The device is bound when it is called.
 *
 * @param <M> a native module
 * @param <K> a kernel in it
 */
public abstract class KernelLoader<M, K> {
  private static final String SOURCE = "gpu-c++";

  /**
   * How a runtime tells of kernels.
   *
   * @param formats that it takes
   * @param maxThreads the attribute of a kernel that is the largest workgroup with which it runs
   * @param staticSharedMemory the attribute that is the shared memory which a workgroup always
   *     takes, in bytes
   */
  public record Kernels(Set<String> formats, int maxThreads, int staticSharedMemory) {}

  private final GpuRuntime<?, ?, K> runtime;
  private final GpuProperties device;
  private final Kernels kernels;

  /** For a device. */
  protected KernelLoader(GpuRuntime<?, ?, K> runtime, GpuProperties device, Kernels kernels) {
    this.runtime = runtime;
    this.device = device;
    this.kernels = kernels;
  }

  final Set<String> formats() {
    return kernels.formats;
  }

  /**
   * The compiler of sources; its code is for {@link #link}.
   *
   * @throws HalException UNIMPLEMENTED if there is none
   */
  protected abstract RuntimeCompiler compiler();

  /** Hands code of any kind to the runtime, which compiles it to the end where it must. */
  protected abstract M link(byte[] code, String what);

  /** May wait until the device is idle. Never throws. */
  protected abstract void unload(M module);

  /**
   * Finds a kernel.
   *
   * @throws HalException NOT_FOUND if there is none of this name
   */
  protected abstract K find(M module, String entry, String what);

  /**
   * Compares the parameters of a kernel with the manifest's as far as that can be told.
   *
   * @param entry the kernel's name
   * @param name the same and where it is, for people
   * @throws HalException INVALID_ARGUMENT if they differ
   */
  protected abstract void checkArguments(
      M module, K kernel, String entry, KernelSpec spec, String name);

  /** The most work items that a launch takes along one axis, all workgroups together. */
  protected long maxWorkItems() {
    return Long.MAX_VALUE;
  }

  /** An attribute of a kernel. */
  protected abstract int attribute(K kernel, int attribute);

  /** Lets a kernel take so much more shared memory when it is launched. */
  protected abstract void allowSharedMemory(K kernel, int staticBytes, int dynamicBytes);

  /** The device's. */
  protected final GpuProperties device() {
    return device;
  }

  /** The native calls on the device. */
  protected final GpuRuntime<?, ?, K> runtime() {
    return runtime;
  }

  /** Code in native memory, with a zero behind it, as some of it is read like a string. */
  protected static Memory image(byte[] code) {
    Memory image = new Memory(code.length + 1L);
    image.write(0, code, 0, code.length);
    image.setByte(code.length, (byte) 0);
    return image;
  }

  final KernelModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> specs, FreeThread frees) {
    String what = variant.file() + " of bundle " + source.name() + " for " + device.architecture();
    byte[] file = variant.readFile(source);
    byte[] code =
        variant.format().equals(SOURCE)
            ? compiler()
                .compile(
                    new String(file, StandardCharsets.UTF_8),
                    String.valueOf(variant.file()),
                    variant.options(),
                    device.architecture(),
                    what)
            : file;
    M module = link(code, what);
    try {
      List<K> kernels =
          specs.stream()
              .map(
                  spec -> {
                    String entry = variant.entry(spec.name());
                    K kernel = find(module, entry, what);
                    String name = "kernel '" + entry + "' in " + what;
                    checkArguments(module, kernel, entry, spec, name);
                    checkWorkgroup(kernel, spec, name);
                    return kernel;
                  })
              .toList();
      return new GpuModule<>(kernels, maxWorkItems(), () -> unload(module), frees);
    } catch (Throwable t) {
      frees.free(() -> unload(module));
      throw t;
    }
  }

  private void checkWorkgroup(K kernel, KernelSpec spec, String name) {
    Workgroups size = spec.workgroupSize();
    long threads = (long) size.x() * size.y() * size.z();
    int maxThreads = attribute(kernel, kernels.maxThreads);
    if (threads > maxThreads) {
      throw tooLarge(
          name + " has workgroups of " + threads + " work items; this kernel takes " + maxThreads);
    }
    int shared = attribute(kernel, kernels.staticSharedMemory);
    int dynamic = spec.dynamicSharedMemory();
    if (dynamic > device.maxSharedMemory() - shared) {
      throw tooLarge(
          name
              + " has "
              + shared
              + " bytes of shared memory and "
              + dynamic
              + " more in the manifest; the device takes "
              + device.maxSharedMemory());
    }
    allowSharedMemory(kernel, shared, dynamic);
  }

  private static HalException tooLarge(String message) {
    return new HalException(Status.OUT_OF_RANGE, message);
  }
}
