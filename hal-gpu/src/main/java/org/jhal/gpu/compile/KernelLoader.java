package org.jhal.gpu.compile;

import com.sun.jna.Memory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.KernelModule;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Variant;
import org.jhal.driver.cache.KernelCache;
import org.jhal.driver.cache.KernelKey;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.LaunchGate;
import org.jspecify.annotations.Nullable;

/**
 * Loads kernels for a device, and compares what its runtime knows about them with the manifest.
 *
 * <p>Thread-safe. Called with the device bound.
 *
 * @param <M> the native module
 * @param <K> the native kernel
 */
public abstract class KernelLoader<M, K> {
  private static final String SOURCE = "gpu-c++";

  /**
   * The formats of a runtime, and its attribute numbers for kernels.
   *
   * @param formats the formats that it loads
   * @param compiler the name of its compiler, for which manifests may have options
   * @param maxThreads the attribute for the maximum number of work items of a workgroup
   * @param staticSharedMemory the attribute for the static shared memory of a workgroup, in bytes
   */
  public record Kernels(
      Set<String> formats, String compiler, int maxThreads, int staticSharedMemory) {}

  /**
   * A function of the code, which several kernels of the manifest may mean, and the most dynamic
   * shared memory that one of them has. A runtime allows an amount for the function, not for each
   * of its launches.
   */
  private record EntryPoint<K>(K kernel, int staticBytes, int dynamicBytes) {
    EntryPoint<K> larger(EntryPoint<K> other) {
      return other.dynamicBytes > dynamicBytes ? other : this;
    }
  }

  /** Code, and what it is, for messages. */
  private record Compiled(byte[] code, String what) {}

  private final LaunchGate gate;
  private final GpuProperties device;
  private final Kernels kernels;

  /**
   * For a device.
   *
   * @param gate what calls on modules go through, which may wait until the device is idle
   */
  protected KernelLoader(LaunchGate gate, GpuProperties device, Kernels kernels) {
    this.gate = gate;
    this.device = device;
    this.kernels = kernels;
  }

  public final Set<String> formats() {
    return kernels.formats;
  }

  /**
   * The compiler of sources, whose output {@link #link} takes.
   *
   * @throws HalException UNIMPLEMENTED if there is none for this device
   */
  protected abstract RuntimeCompiler compiler();

  /**
   * What {@link #compiler} is made of, found without loading it; null if that cannot be found, and
   * then nothing that it compiles is kept.
   */
  protected abstract @Nullable CompilerFiles compilerFiles();

  /**
   * Loads code of any format into the runtime, which finishes the compilation if necessary. {@code
   * what} names it for messages.
   */
  protected abstract M link(byte[] code, String what);

  /** Unloads a module; may wait until the device is idle. Never throws. */
  protected abstract void unload(M module);

  /**
   * Finds a kernel.
   *
   * @throws HalException NOT_FOUND if there is none of this name
   */
  protected abstract K find(M module, String entry, String what);

  /**
   * Compares the parameters of a kernel with the manifest's, as far as the runtime can tell them.
   *
   * @param entry the name of the kernel's entry point
   * @param name the kernel with its origin, for messages
   * @throws HalException INVALID_ARGUMENT if they differ
   */
  protected abstract void checkArguments(
      M module, K kernel, String entry, KernelSpec spec, String name);

  /** The maximum number of work items of a launch along one axis, all workgroups together. */
  protected long maxWorkItems() {
    return Long.MAX_VALUE;
  }

  /** The value of an attribute of a kernel. */
  protected abstract int attribute(K kernel, int attribute);

  /**
   * Allows launches of a kernel with up to this much shared memory, in bytes. Called once for each
   * entry point of a module.
   */
  protected abstract void allowSharedMemory(K kernel, int staticBytes, int dynamicBytes);

  /** The properties of the device. */
  protected final GpuProperties device() {
    return device;
  }

  /**
   * Copies code to native memory, with a zero after it, since some formats are read like a string.
   */
  protected static Memory image(byte[] code) {
    Memory image = new Memory(code.length + 1L);
    image.write(0, code, 0, code.length);
    image.setByte(code.length, (byte) 0);
    return image;
  }

  /**
   * Begins to load the classes that loading kept kernels needs, unless it was begun before. Never
   * throws.
   *
   * @param compiler looks for the files of the compiler
   */
  public static void rehearse(KernelCache cache, Runnable compiler) {
    Rehearsal.start(cache, compiler);
  }

  /** The native kernel behind one that the device has loaded, whose kernels are of type K. */
  public static <K> K nativeKernel(LoadedKernel kernel) {
    return GpuModule.kernel(kernel);
  }

  /**
   * Loads kernels.
   *
   * @param frees calls soon, with the device bound, what may wait until the device is idle
   * @param cache where compiled sources are kept; null for nowhere
   * @throws HalException INVALID_ARGUMENT, NOT_FOUND or OUT_OF_RANGE if the code does not agree
   *     with the manifest; otherwise the failure of the compiler or of the runtime
   */
  public final KernelModule load(
      ExecutableSource source,
      Variant variant,
      List<KernelSpec> specs,
      Consumer<Runnable> frees,
      @Nullable KernelCache cache) {
    String what = variant.file() + " of bundle " + source.name() + " for " + device.architecture();
    byte[] file = variant.readFile(source);
    Compiled compiled =
        variant.format().equals(SOURCE)
            ? compile(
                SourceCode.read(source, String.valueOf(variant.file()), file, what),
                variant.options(kernels.compiler),
                what,
                cache)
            : new Compiled(file, what);
    return gate.call(() -> load(compiled.code, variant, specs, frees, compiled.what));
  }

  private KernelModule load(
      byte[] code, Variant variant, List<KernelSpec> specs, Consumer<Runnable> frees, String what) {
    M module = link(code, what);
    try {
      List<K> kernels = new ArrayList<>();
      Map<String, EntryPoint<K>> entries = new HashMap<>(); // by name
      for (KernelSpec spec : specs) {
        String entry = variant.entry(spec.name());
        K kernel = find(module, entry, what);
        String name = "kernel '" + entry + "' in " + what;
        checkArguments(module, kernel, entry, spec, name);
        int staticBytes = checkWorkgroup(kernel, spec, name);
        EntryPoint<K> asked = new EntryPoint<>(kernel, staticBytes, spec.dynamicSharedMemory());
        entries.merge(entry, asked, EntryPoint::larger);
        kernels.add(kernel);
      }
      for (EntryPoint<K> entry : entries.values()) {
        allowSharedMemory(entry.kernel, entry.staticBytes, entry.dynamicBytes);
      }
      return new GpuModule<>(this, module, kernels, frees);
    } catch (Throwable t) {
      frees.accept(() -> unload(module));
      throw t;
    }
  }

  /** Takes the code from the cache, without loading the compiler, or compiles the source. */
  private Compiled compile(
      SourceCode source, List<String> options, String what, @Nullable KernelCache cache) {
    String architecture = device.architecture();
    CompilerFiles files = cache != null && source.isSelfContained(options) ? compilerFiles() : null;
    Span span = FlightRecorder.compilation(what);
    String outcome = "failed";
    try {
      if (cache == null || files == null || !SelfContained.allows(files.variables())) {
        RuntimeCompiler compiler = compiler();
        byte[] code = compiler.compile(source, options, architecture, what);
        outcome = "compiled";
        return new Compiled(code, what + ", compiled by " + compiler);
      }
      KernelKey key = files.key(source, options, architecture);
      byte[] kept = cache.find(key);
      if (kept != null) {
        outcome = "hit";
        return new Compiled(kept, what);
      }
      RuntimeCompiler compiler = compiler();
      byte[] code = compiler.compile(source, options, architecture, what);
      outcome = "compiled";
      if (compiler.isFrom(files)) { // else another one was loaded than the key describes
        cache.keep(key, what, code);
      }
      return new Compiled(code, what + ", compiled by " + compiler);
    } finally {
      Span.end(span, outcome);
    }
  }

  /** Returns how much shared memory the code itself declares, in bytes. */
  private int checkWorkgroup(K kernel, KernelSpec spec, String name) {
    Workgroups size = spec.workgroupSize();
    long threads = (long) size.x() * size.y() * size.z();
    int maxThreads = attribute(kernel, kernels.maxThreads);
    if (threads > maxThreads) {
      throw tooLarge(
          name + " has workgroups of " + threads + " work items; this kernel takes " + maxThreads);
    }
    int shared = attribute(kernel, kernels.staticSharedMemory);
    int dynamic = spec.dynamicSharedMemory();
    if (dynamic > device.info().maxSharedMemory() - shared) {
      throw tooLarge(
          name
              + " has "
              + shared
              + " bytes of shared memory and "
              + dynamic
              + " more in the manifest; the device takes "
              + device.info().maxSharedMemory());
    }
    return shared;
  }

  private static HalException tooLarge(String message) {
    return new HalException(Status.OUT_OF_RANGE, message);
  }
}
