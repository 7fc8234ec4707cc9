package org.jhal.cpu.compile;

import java.util.ArrayList;
import java.util.List;
import org.jhal.cpu.translate.KernelRequest;
import org.jhal.cpu.translate.Level;
import org.jhal.cpu.translate.Translation;
import org.jhal.cpu.translate.Translator;
import org.jhal.driver.source.SourceCode;
import org.jspecify.annotations.Nullable;

/** Compiles a source of GPU C++: preprocesses it, translates it, and compiles the translation. */
public final class SourceCompiler {
  private final HostCompiler compiler;
  private final @Nullable Level forced;

  /** With a level that is forced, or null for the best. */
  public SourceCompiler(HostCompiler compiler, @Nullable Level forced) {
    this.compiler = compiler;
    this.forced = forced;
  }

  /**
   * Compiles kernels.
   *
   * @param what is being compiled, for people
   * @return a library with a {@code hal_kernel_N} for each request
   */
  public byte[] compile(
      SourceCode source, List<String> options, List<KernelRequest> kernels, String what) {
    String preprocessed = compiler.preprocess(source, options, what);
    Translation translation = Translator.translate(preprocessed, kernels, forced);
    List<String> rest = new ArrayList<>(options);
    rest.removeIf(option -> option.startsWith("-D") || option.startsWith("-I"));
    rest.add(translation.hasCoroutines() ? "-std=c++20" : "-std=c++17");
    return compiler.compile(translation.text(), rest, what);
  }
}
