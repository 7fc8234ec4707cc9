package org.jhal.cpu;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jhal.ExecutableSource;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.CpuFeatures;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.SourceCompiler;
import org.jhal.cpu.runtime.Resources;
import org.jhal.cpu.translate.KernelRequest;
import org.jhal.cpu.translate.Level;
import org.jhal.driver.bundle.KernelSpec;
import org.jhal.driver.bundle.Variant;
import org.jhal.driver.cache.KernelCache;
import org.jhal.driver.cache.KernelKey;
import org.jhal.driver.dialect.Dialect;
import org.jhal.driver.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * Makes libraries for this machine's processor, or finds those that were made before. Thread-safe.
 */
final class KernelCompiler {
  static final String FORMAT = "gpu-c++";

  private final HostCompiler compiler;
  private final @Nullable KernelCache cache;
  private final @Nullable Level forced;

  KernelCompiler(HostCompiler compiler, @Nullable KernelCache cache, @Nullable Level forced) {
    this.compiler = compiler;
    this.cache = cache;
    this.forced = forced;
  }

  /** The runtime that calls the kernels. */
  byte[] runtime() {
    return kept(
        List.of("cpu runtime", new String(Resources.runtime(), StandardCharsets.UTF_8)),
        "cpu runtime",
        compiler::compileRuntime);
  }

  /** The library of a bundle's kernels. */
  byte[] kernels(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    String file = String.valueOf(variant.file());
    String what = file + " of bundle " + source.name();
    SourceCode code =
        SourceCode.read(source, file, variant.readFile(source), what).with(Dialect.stubs());
    List<KernelRequest> requests = new ArrayList<>();
    for (KernelSpec kernel : kernels) {
      Workgroups size = kernel.workgroupSize();
      requests.add(new KernelRequest(variant.entry(kernel.name()), size.x(), size.y(), size.z()));
    }
    List<String> options = variant.options("cpu");
    SourceCompiler sources = new SourceCompiler(compiler, forced);
    Made made = () -> sources.compile(code, options, requests, what);
    if (!code.isSelfContained(options)) {
      return made.make();
    }
    List<String> key =
        new ArrayList<>(List.of("cpu kernels", code.toString(), requests.toString()));
    key.addAll(List.of(options.toString(), String.valueOf(forced)));
    return kept(key, "cpu " + what, made);
  }

  private interface Made {
    byte[] make();
  }

  private byte[] kept(List<String> depends, String label, Made made) {
    if (cache == null) {
      return made.make();
    }
    List<String> all = new ArrayList<>(depends);
    all.addAll(List.of(compiler.identity(), HostCompiler.flags(), CpuFeatures.text()));
    all.add(Resources.headers());
    KernelKey key = KernelKey.of(all);
    byte[] code = cache.find(key);
    if (code == null) {
      code = made.make();
      cache.keep(key, label, code);
    }
    return code;
  }
}
