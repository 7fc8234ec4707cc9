package org.jhal.driver.gpu;

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

  private final GpuProperties device;

  /** For a device. */
  protected KernelLoader(GpuProperties device) {
    this.device = device;
  }

  /** The formats that it takes. */
  public abstract Set<String> formats();

  /**
   * Compiles a source for the device, or finds it compiled.
   *
   * @param name of the source, for the compiler's messages
   * @param what is being loaded, for people
   * @return code for {@link #link}
   */
  protected abstract byte[] compile(String source, String name, List<String> options, String what);

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

  /** The largest workgroup with which the kernel runs. */
  protected abstract int maxThreads(K kernel);

  /** The shared memory of a workgroup that the kernel always takes, in bytes. */
  protected abstract int staticSharedMemory(K kernel);

  /** Lets a kernel take so much more shared memory when it is launched. */
  protected abstract void allowSharedMemory(K kernel, int staticBytes, int dynamicBytes);

  /** The device's. */
  protected final GpuProperties device() {
    return device;
  }

  final KernelModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> specs, FreeThread frees) {
    String what = variant.file() + " of bundle " + source.name() + " for " + device.architecture();
    byte[] file = variant.readFile(source);
    byte[] code =
        variant.format().equals(SOURCE)
            ? compile(
                new String(file, StandardCharsets.UTF_8),
                String.valueOf(variant.file()),
                variant.options(),
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
    int maxThreads = maxThreads(kernel);
    if (threads > maxThreads) {
      throw tooLarge(
          name + " has workgroups of " + threads + " work items; this kernel takes " + maxThreads);
    }
    int shared = staticSharedMemory(kernel);
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
