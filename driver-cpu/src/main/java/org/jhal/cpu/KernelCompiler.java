// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.compile.Architecture;
import org.jhal.cpu.compile.CpuFeatures;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.KernelLibrary;
import org.jhal.cpu.compile.SourceCompiler;
import org.jhal.cpu.runtime.PrebuiltRuntime;
import org.jhal.cpu.runtime.Resources;
import org.jhal.cpu.runtime.Runtimes;
import org.jhal.cpu.translate.Level;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.cache.KernelKey;
import org.jhal.kernels.dialect.Dialect;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * The native code that a device runs: its runtime, and libraries of kernels. They are compiled by
 * the machine's compiler, found in the cache, or were compiled elsewhere.
 *
 * <p>Thread-safe.
 */
final class KernelCompiler {
  private static final System.Logger LOG = System.getLogger(KernelCompiler.class.getName());

  /** Libraries that {@code hal compile} made. */
  static final String LIBRARY = "cpu-so";

  private final CompilerChoice choice;
  private final @Nullable KernelCache cache;
  private final @Nullable Level forced;
  private final CpuFeatures cpu;
  private final @Nullable CpuCheck check;

  /**
   * For a processor.
   *
   * @param choice the compiler, or why there is none
   * @param cache null if nothing is to be kept
   * @param forced the level of all kernels, or null for the best of each
   * @param check what checks the kernels in C++, or null
   */
  KernelCompiler(
      CompilerChoice choice,
      @Nullable KernelCache cache,
      @Nullable Level forced,
      CpuFeatures cpu,
      @Nullable CpuCheck check) {
    this.check = check;
    this.choice = choice;
    this.cache = cache;
    this.forced = forced;
    this.cpu = cpu;
  }

  /**
   * Where a variant stands in the order in which those of a bundle are tried: C++ if there is a
   * compiler, then libraries, the highest level first, then Java. Formats that are not loaded keep
   * their place, so that {@code refusals()} names them in the order of the manifest.
   */
  static int rank(Variant variant) {
    return switch (variant.format()) {
      case Variant.CPP -> 0;
      case LIBRARY -> {
        Architecture known = Architecture.of(variant.architecture());
        yield 1 + (known == null ? 0 : Architecture.highestFirst().indexOf(known));
      }
      case Variant.JAVA -> 100;
      default -> 0;
    };
  }

  /** What {@link #load} takes. */
  Set<String> formats() {
    return choice.compiler() == null ? Set.of(LIBRARY) : Set.of(Variant.CPP, LIBRARY);
  }

  /** Why there is no compiler, and what can be loaded without one. */
  String absence() {
    return ("%s; without a C++ compiler, this device loads variants in %s, which `hal compile` makes"
            + " on a machine that has one, and kernels in Java")
        .formatted(choice.absence(), LIBRARY);
  }

  /**
   * Loads the runtime, unless that was done before in this process: the one that comes with the
   * driver, or, where there is none that fits, one that the compiler makes.
   *
   * @throws HalException FAILED_PRECONDITION if there is neither
   */
  void loadRuntime() {
    byte[] prebuilt = PrebuiltRuntime.find(cpu.kind());
    if (prebuilt != null) {
      try {
        Runtimes.load(() -> prebuilt);
        return;
      } catch (HalException e) { // such as one for a newer C library
        if (choice.compiler() == null) {
          throw e;
        }
      }
    }
    HostCompiler own = choice.compiler();
    if (own == null) {
      throw new HalException(Status.FAILED_PRECONDITION, noRuntime(choice, cpu));
    }
    String source = new String(Resources.runtime(), StandardCharsets.UTF_8);
    Runtimes.load(
        () -> kept(own, List.of("cpu runtime", source), "cpu runtime", own::compileRuntime));
  }

  /** Why the device cannot be used without a compiler if no runtime comes with the driver. */
  static String noRuntime(CompilerChoice choice, CpuFeatures cpu) {
    return "%s, and this driver's jar has no runtime for %s"
        .formatted(choice.absence(), cpu.kind());
  }

  /**
   * Loads kernels.
   *
   * @param variant of one of the {@link #formats}
   * @throws HalException as {@link org.jhal.driver.DeviceBackend#load}
   */
  CpuModule load(
      ExecutableSource source, Variant variant, List<KernelSpec> kernels, List<Global> globals) {
    String what = variant.file() + " of bundle " + source.name();
    int[] indexes = new int[kernels.size()];
    int[] places = new int[globals.size()];
    if (variant.format().equals(Variant.CPP)) {
      SourceCode text =
          SourceCode.read(source, String.valueOf(variant.file()), variant.readFile(source), what)
              .with(Dialect.stubs());
      byte[] code = compile(text, variant, kernels, globals, what);
      Arrays.setAll(indexes, i -> i);
      Arrays.setAll(places, i -> i);
      CpuModule module =
          load(code, indexes, kernels, places, globals, what, Status.INVALID_ARGUMENT);
      if (check != null) {
        module.check(check, new CheckedCode(code, text));
      }
      if (!module.mangled().isEmpty()) {
        LOG.log(
            System.Logger.Level.WARNING,
            "%s: without extern \"C\", GPUs do not find %s"
                .formatted(what, String.join(", ", module.mangled())));
      }
      return module;
    }
    byte[] code = variant.readFile(source);
    KernelLibrary library = KernelLibrary.read(code, what);
    library.check(cpu, variant.architecture(), what);
    for (int i = 0; i < indexes.length; i++) {
      KernelSpec kernel = kernels.get(i);
      indexes[i] = library.index(variant.entry(kernel.name()), kernel, what);
    }
    for (int i = 0; i < places.length; i++) {
      places[i] = library.index(globals.get(i), what);
    }
    // Such as one for a newer C library: then another variant may do.
    return load(code, indexes, kernels, places, globals, what, Status.UNIMPLEMENTED);
  }

  private static CpuModule load(
      byte[] code,
      int[] indexes,
      List<KernelSpec> kernels,
      int[] places,
      List<Global> globals,
      String what,
      Status refusal) {
    CpuModule module = CpuModule.load(code, indexes, kernels, what, refusal);
    boolean isDone = false;
    try {
      module.findGlobals(places, globals, what);
      isDone = true;
      return module;
    } finally {
      if (!isDone) {
        module.unload();
      }
    }
  }

  private byte[] compile(
      SourceCode code,
      Variant variant,
      List<KernelSpec> kernels,
      List<Global> globals,
      String what) {
    HostCompiler own = Objects.requireNonNull(choice.compiler()); // see formats()
    List<String> options = SourceCompiler.options(variant, what);
    SourceCompiler sources =
        check == null
            ? new SourceCompiler(own, forced, null)
            : SourceCompiler.checked(own, check.what());
    Made made = () -> sources.compile(code, variant, kernels, globals, what);
    if (!code.isSelfContained(options)) {
      return made.make();
    }
    List<String> key = new ArrayList<>(List.of("cpu kernels", code.toString()));
    for (KernelSpec kernel : kernels) {
      key.addAll(
          List.of(kernel.name(), variant.entry(kernel.name()), kernel.workgroupSize().toString()));
    }
    globals.forEach(global -> key.add("global " + global.name()));
    key.addAll(List.of(options.toString(), String.valueOf(forced)));
    if (check != null) {
      key.add("checked " + check.what());
    }
    return kept(own, key, "cpu " + what, made);
  }

  private interface Made {
    byte[] make();
  }

  private byte[] kept(HostCompiler own, List<String> depends, String label, Made made) {
    if (cache == null || !cpu.isKnown()) {
      return made.make();
    }
    String translator = Resources.translator();
    if (translator == null) {
      return made.make();
    }
    KernelKey key = key(own, cpu, translator, depends);
    byte[] code = cache.find(key);
    if (code == null) {
      code = made.make();
      cache.keep(key, label, code);
    }
    return code;
  }

  /**
   * What compiled code depends on, beside {@code depends}: the compiler, the processor, and this
   * driver's own code.
   */
  static KernelKey key(
      HostCompiler compiler, CpuFeatures cpu, String translator, List<String> depends) {
    List<String> all = new ArrayList<>(depends);
    all.addAll(List.of(compiler.identity(), compiler.allFlags(), cpu.text()));
    all.addAll(List.of(Resources.headers(), translator));
    return KernelKey.of(all);
  }
}
