// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import com.sun.jna.Memory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.KernelModule;
import org.jhal.driver.LoadedKernel;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.flightrecorder.Span;
import org.jhal.gpu.natives.CooperativeCalls;
import org.jhal.gpu.natives.DeviceCalls;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.GpuSetup;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.gpu.natives.Undo;
import org.jhal.kernels.bundle.EntryName;
import org.jhal.kernels.bundle.GlobalSize;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.cache.KernelKey;
import org.jhal.kernels.source.SelfContained;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * Loads kernels for a device, and compares them, as the runtime sees them, with the manifest. A
 * driver adds the vendor's part.
 *
 * <p>Thread-safe. Called with the device bound.
 */
public abstract class KernelLoader {
  // The vendors agree on these attributes of kernels.
  public static final int MAX_THREADS = 0;
  public static final int STATIC_SHARED_BYTES = 1;

  /** A loaded module, and the check of its kernels' arguments. */
  public record NativeModule(long handle, ArgumentCheck check) {}

  /** Compares the parameters of a kernel with the manifest's. */
  @FunctionalInterface
  public interface ArgumentCheck {
    /**
     * Compares them, as far as the runtime knows them.
     *
     * @param entry the symbol of the kernel's entry point
     * @param name the kernel with its origin, for messages
     * @throws HalException INVALID_ARGUMENT if they differ
     */
    void check(long kernel, String entry, KernelSpec spec, String name);
  }

  /**
   * A function of the code, and the most dynamic shared memory of the manifest's kernels that refer
   * to it. A runtime allows an amount for the function, not for each launch.
   */
  private record EntryPoint(long kernel, int staticBytes, int dynamicBytes) {}

  /** Where a variable of a module lies on the device. */
  public record Variable(long address, long bytes) {}

  /** Code and its description for messages. */
  private record Compiled(CompiledCode code, String what) {}

  private final DeviceCalls calls;
  private final GpuSetup setup;
  private final GpuProperties device;
  private final Set<String> formats;
  private final String compiler;
  private final String unfused;

  /**
   * For a device.
   *
   * @param formats the formats that the runtime loads, apart from sources
   * @param compiler the name of its compiler in the options of manifests
   * @param unfused the option by which its compiler fuses no products
   */
  protected KernelLoader(
      DeviceCalls calls,
      GpuProperties device,
      Set<String> formats,
      String compiler,
      String unfused) {
    this.calls = calls;
    this.setup = calls.setup();
    this.device = device;
    Set<String> all = new HashSet<>(formats);
    all.add(Variant.CPP);
    this.formats = Set.copyOf(all);
    this.compiler = compiler;
    this.unfused = unfused;
  }

  /** The formats that can be loaded. */
  public final Set<String> formats() {
    return formats;
  }

  /**
   * The compiler of sources, whose output {@link #link} takes.
   *
   * @throws HalException UNIMPLEMENTED if there is none for this device
   */
  protected abstract RuntimeCompiler compiler();

  /**
   * The files of {@link #compiler}, found without loading it; null if they are unknown, and then
   * compiled code is not kept.
   */
  protected abstract @Nullable CompilerFiles compilerFiles();

  /**
   * Loads code of any format into the runtime, which finishes the compilation if necessary. {@code
   * what} names it for messages.
   */
  protected abstract NativeModule link(byte[] code, String what);

  /** Unloads a module; may wait until the device is idle. Never throws. */
  final void unload(long module) {
    if (module == 0) {
      throw new IllegalStateException("the module to be unloaded is null");
    }
    calls.checkFreed("moduleUnload", setup.moduleUnload(module));
  }

  private long find(long module, String symbol, String entry, String what) {
    long[] kernel = new long[1];
    int code = setup.moduleGetFunction(kernel, module, symbol);
    if (code != ResultCodes.SUCCESS) {
      throw calls.failure("moduleGetFunction", code, "no kernel '" + entry + "' in " + what);
    }
    return kernel[0];
  }

  /** The maximum number of work items of a launch along one axis, all workgroups together. */
  protected long maxWorkItems() {
    return Long.MAX_VALUE;
  }

  private int attribute(long kernel, int attribute) {
    int[] value = new int[1];
    calls.check("funcGetAttribute", setup.funcGetAttribute(value, attribute, kernel));
    return value[0];
  }

  /**
   * Allows launches of a kernel with this much shared memory, in bytes, in runtimes that require
   * it. Called once for each entry point of a module.
   */
  protected void allowSharedMemory(long kernel, int staticBytes, int dynamicBytes) {}

  /** The calls on the device. */
  protected final DeviceCalls calls() {
    return calls;
  }

  /** The properties of the device. */
  protected final GpuProperties device() {
    return device;
  }

  /** Copies code to native memory, followed by a zero, since some formats are read as strings. */
  protected static Memory image(byte[] code) {
    Memory image = new Memory(code.length + 1L);
    image.write(0, code, 0, code.length);
    image.setByte(code.length, (byte) 0);
    return image;
  }

  /** A variable of a loaded module, which {@link #load} has found. */
  public static Variable variable(KernelModule module, int index) {
    return ((GpuModule) module).variable(index);
  }

  /** See {@link KernelWarmUp#start}. */
  public static void warmUp(KernelCache cache, Runnable compiler) {
    KernelWarmUp.start(cache, compiler);
  }

  /** The native kernel of a loaded one. */
  public static long nativeKernel(LoadedKernel kernel) {
    return GpuModule.kernel(kernel);
  }

  /**
   * What a stream has attached to a kernel; null if nothing. For the thread that issues work with
   * the kernel, or enqueues it.
   *
   * @param stream the index of the stream
   */
  public static @Nullable KernelAttachment attachment(LoadedKernel kernel, int stream) {
    return GpuModule.attachment(kernel, stream);
  }

  /**
   * Attaches something to a kernel until it is unloaded. For the thread that issues work with it.
   */
  public static void attach(LoadedKernel kernel, int stream, KernelAttachment made) {
    GpuModule.attach(kernel, stream, made);
  }

  /**
   * Loads kernels.
   *
   * @param globals the variables to find
   * @param frees soon makes, with the device bound, calls that may wait until the device is idle
   * @param cache where compiled sources are kept; null to keep none
   * @throws HalException INVALID_ARGUMENT, NOT_FOUND or OUT_OF_RANGE if code and manifest disagree;
   *     otherwise the failure of the compiler or the runtime
   */
  public final KernelModule load(
      ExecutableSource source,
      Variant variant,
      List<KernelSpec> specs,
      List<Global> globals,
      Consumer<Runnable> frees,
      @Nullable KernelCache cache) {
    String what = variant.file() + " of bundle " + source.name() + " for " + device.architecture();
    byte[] file = variant.readFile(source);
    Compiled compiled =
        variant.format().equals(Variant.CPP)
            ? compile(
                SourceCode.read(source, String.valueOf(variant.file()), file, what),
                variant.options(compiler, unfused),
                expressions(variant, specs),
                what,
                cache)
            : new Compiled(precompiled(file, variant, specs, what), what);
    return calls
        .gate()
        .call(() -> load(compiled.code, variant, specs, globals, frees, compiled.what));
  }

  /** The entry points that only the compiler knows the symbols of, each once. */
  private static List<String> expressions(Variant variant, List<KernelSpec> specs) {
    return specs.stream()
        .map(spec -> variant.entry(spec.name()))
        .filter(EntryName::isExpression)
        .distinct()
        .toList();
  }

  private static CompiledCode precompiled(
      byte[] file, Variant variant, List<KernelSpec> specs, String what) {
    for (KernelSpec spec : specs) {
      String unused = variant.symbol(spec.name(), what);
    }
    return new CompiledCode(file, Map.of());
  }

  private KernelModule load(
      CompiledCode compiled,
      Variant variant,
      List<KernelSpec> specs,
      List<Global> globals,
      Consumer<Runnable> frees,
      String what) {
    NativeModule linked = link(compiled.code(), what);
    long module = linked.handle();
    return Undo.onFailure(
        () -> {
          long[] kernels = kernels(linked, compiled, variant, specs, what);
          return new GpuModule(
              this,
              module,
              kernels,
              residents(kernels, specs),
              variables(module, globals, what),
              frees);
        },
        () -> frees.accept(() -> unload(module)));
  }

  private List<Variable> variables(long module, List<Global> globals, String what) {
    List<Variable> found = new ArrayList<>();
    for (Global global : globals) {
      long[] address = new long[1];
      long[] bytes = new long[1];
      int code = setup.moduleGetGlobal(address, bytes, module, global.name());
      if (code != ResultCodes.SUCCESS) {
        throw calls.failure("moduleGetGlobal", code, GlobalSize.absence(global, what));
      }
      GlobalSize.check(global, bytes[0], what);
      found.add(new Variable(address[0], bytes[0]));
    }
    return List.copyOf(found);
  }

  /** Finds the kernels in a module, checks them, and prepares their launches. */
  private long[] kernels(
      NativeModule linked,
      CompiledCode compiled,
      Variant variant,
      List<KernelSpec> specs,
      String what) {
    long[] kernels = new long[specs.size()];
    Map<String, EntryPoint> entries = new HashMap<>(); // by name
    for (int i = 0; i < kernels.length; i++) {
      KernelSpec spec = specs.get(i);
      String entry = variant.entry(spec.name());
      String symbol = compiled.symbol(entry);
      long kernel = find(linked.handle(), symbol, entry, what);
      String name = "kernel '" + entry + "' in " + what;
      linked.check().check(kernel, symbol, spec, name);
      int staticBytes = checkWorkgroup(kernel, spec, name);
      EntryPoint asked = new EntryPoint(kernel, staticBytes, spec.dynamicSharedMemory());
      entries.merge(entry, asked, (a, b) -> b.dynamicBytes > a.dynamicBytes ? b : a);
      kernels[i] = kernel;
    }
    for (EntryPoint entry : entries.values()) {
      allowSharedMemory(entry.kernel, entry.staticBytes, entry.dynamicBytes);
    }
    return kernels;
  }

  /** How many workgroups the device holds of each kernel that is cooperative. */
  private long[] residents(long[] kernels, List<KernelSpec> specs) {
    long[] residents = new long[kernels.length];
    for (int i = 0; i < kernels.length; i++) {
      KernelSpec spec = specs.get(i);
      CooperativeCalls cooperative = spec.isCooperative() ? calls.cooperative() : null;
      if (cooperative != null) {
        Workgroups size = spec.workgroupSize();
        int items = size.x() * size.y() * size.z(); // KernelSpec: fits into an int
        int each = cooperative.perMultiprocessor(kernels[i], items, spec.dynamicSharedMemory());
        residents[i] = (long) each * device.multiprocessors();
      }
    }
    return residents;
  }

  /** Takes the code from the cache without loading the compiler, or compiles the source. */
  private Compiled compile(
      SourceCode alone,
      List<String> options,
      List<String> expressions,
      String what,
      @Nullable KernelCache cache) {
    SourceCode source = DialectHeaders.addTo(alone, options);
    String architecture = device.architecture();
    CompilerFiles files = cache != null && source.isSelfContained(options) ? compilerFiles() : null;
    Span span = FlightRecorder.compilation(what);
    String outcome = "failed";
    try {
      KernelKey key =
          files != null && SelfContained.allows(files.variables())
              ? files.key(source, options, expressions, architecture)
              : null;
      byte[] kept = cache == null || key == null ? null : cache.find(key);
      CompiledCode found = kept == null ? null : CompiledCode.of(kept, expressions);
      if (found != null) {
        outcome = "hit";
        return new Compiled(found, what);
      }
      RuntimeCompiler compiler = compiler();
      CompiledCode code = compiler.compile(source, options, expressions, architecture, what);
      outcome = "compiled";
      // From other files than those, the key would describe another compiler.
      if (cache != null && files != null && key != null && compiler.isFrom(files)) {
        cache.keep(key, what, code.toBytes(expressions));
      }
      return new Compiled(code, what + ", compiled by " + compiler);
    } finally {
      Span.end(span, outcome);
    }
  }

  /** Returns the shared memory that the code itself declares, in bytes. */
  private int checkWorkgroup(long kernel, KernelSpec spec, String name) {
    Workgroups size = spec.workgroupSize();
    long threads = (long) size.x() * size.y() * size.z();
    int maxThreads = attribute(kernel, MAX_THREADS);
    if (threads > maxThreads) {
      throw tooLarge(
          name + " has workgroups of " + threads + " work items; this kernel takes " + maxThreads);
    }
    int shared = attribute(kernel, STATIC_SHARED_BYTES);
    int dynamic = spec.dynamicSharedMemory();
    if (dynamic > device.info().maxSharedMemory() - shared) {
      throw tooLarge(
          "%s has %s bytes of shared memory and %s more in the manifest; the device takes %s"
              .formatted(name, shared, dynamic, device.info().maxSharedMemory()));
    }
    return shared;
  }

  private static HalException tooLarge(String message) {
    return new HalException(Status.OUT_OF_RANGE, message);
  }
}
