package org.jhal.cpu.compile;

import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.cpu.translate.KernelRequest;
import org.jhal.cpu.translate.Level;
import org.jhal.cpu.translate.Translation;
import org.jhal.cpu.translate.Translator;
import org.jhal.driver.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a source of GPU C++: preprocesses it, translates it, and compiles the translation. If
 * the compiler rejects that, it gets the source in the form that changes least.
 */
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
    Translation best = Translator.translate(preprocessed, kernels, forced);
    try {
      return compile(best, options, what);
    } catch (HalException e) {
      if (best.isPlain()) {
        throw e;
      }
      // A kernel that only its faster form keeps from compiling still runs, and says why so slowly.
      String why = "the compiler rejects the faster form: " + firstError(e);
      Translation plain = Translator.translate(preprocessed, kernels, Level.FIBER, why);
      return compile(plain, options, what);
    }
  }

  private byte[] compile(Translation translation, List<String> options, String what) {
    List<String> rest = new ArrayList<>(options);
    rest.removeIf(option -> option.startsWith("-D") || option.startsWith("-I"));
    rest.add(translation.hasCoroutines() ? "-std=c++20" : "-std=c++17");
    return compiler.compile(translation.text(), rest, what);
  }

  private static String firstError(HalException failure) {
    return String.valueOf(failure.getMessage())
        .lines()
        .filter(line -> line.contains("error:"))
        .findFirst()
        .orElse("no reason given")
        .strip();
  }
}
