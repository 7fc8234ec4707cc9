// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of a bundle in one format. A bundle may have several variants, best first: a device
 * takes the first that it can load. Variants of unknown formats are legal.
 *
 * @param format such as {@code java}
 * @param file the file in the bundle that holds the code, relative to its root; null for {@link
 *     #JAVA} only
 * @param className the class whose methods are the kernels; for {@link #JAVA} only, and null there
 *     if the kernels are {@link ExecutableSource#javaKernels}
 * @param path the folder in the bundle that holds the class files of {@link #JAVA}; empty for the
 *     root
 * @param architecture what the code was compiled for, or null if the manifest does not say
 * @param entries the name of a kernel's entry point in the file, by kernel name, where the two
 *     differ; see {@link #entry}
 * @param options by the name of a compiler, if the file is source code; those of {@link
 *     #ALL_COMPILERS} are for each. See {@link #options(String, String)}
 * @param attributes anything else that a driver needs for this format
 * @param isPortable whether the bundle asks for portable arithmetic: compilers must not fuse
 *     products with sums
 */
public record Variant(
    String format,
    @Nullable String file,
    @Nullable String className,
    String path,
    @Nullable String architecture,
    Map<String, String> entries,
    Map<String, List<String>> options,
    Map<String, String> attributes,
    boolean isPortable) {
  /** The format of kernels that are Java methods; see {@link JavaKernels}. */
  public static final String JAVA = "java";

  /** The format of C++ that is compiled for the device when it is loaded. */
  public static final String CPP = "gpu-c++";

  /** The key of options for every compiler. */
  public static final String ALL_COMPILERS = "all";

  /**
   * Options of any compiler that change what {@code + - * / sqrt fma} give, as portable arithmetic
   * forbids: by fusing, reordering, less accurate divisions, or numbers near zero that become zero.
   */
  private static final Pattern IMPORTABLE =
      Pattern.compile(
          "-{1,2}(use_fast_math|(fmad|ftz)(=true)?|prec-(div|sqrt)(=false)?|f?fast-math|Ofast"
              + "|ffp-contract=(on|fast|fast-honor-pragmas)|ffp-model=.*|f(associative|reciprocal"
              + "|unsafe|finite)-math.*|fno-(signed-zeros|honor-nans|honor-infinities)"
              + "|fdenormal-fp-math.*|fgpu-flush-denormals-to-zero|fapprox-func"
              + "|fno-[a-z0-9-]*correctly-rounded-divide-sqrt)");

  /** Checks for null and copies the collections. */
  public Variant {
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(path, "path");
    entries = Map.copyOf(Objects.requireNonNull(entries, "entries"));
    Map<String, List<String>> copies = new HashMap<>();
    Objects.requireNonNull(options, "options")
        .forEach((compiler, some) -> copies.put(compiler, List.copyOf(some)));
    options = Map.copyOf(copies);
    attributes = Map.copyOf(Objects.requireNonNull(attributes, "attributes"));
  }

  /**
   * The options for a compiler: those for all, then its own, and last, if arithmetic is portable,
   * the one that asks for it.
   *
   * @param compiler its name, such as {@code nvrtc}
   * @param unfused the option by which it fuses no products
   * @throws HalException INVALID_ARGUMENT if arithmetic is portable, and an option of any compiler
   *     contradicts that
   */
  public List<String> options(String compiler, String unfused) {
    List<String> all = new ArrayList<>(options.getOrDefault(ALL_COMPILERS, List.of()));
    all.addAll(options.getOrDefault(compiler, List.of()));
    if (isPortable) {
      options.forEach(this::checkPortable); // of all compilers: it fails wherever it is loaded
      all.add(unfused);
    }
    return all;
  }

  private void checkPortable(String compiler, List<String> some) {
    for (String option : some) {
      if (IMPORTABLE.matcher(option).matches()) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "the option '%s', which is listed under '%s', for %s contradicts the bundle's portable arithmetic"
                .formatted(option, compiler, file));
      }
    }
  }

  /**
   * The entry point of {@code kernel} in the file: the kernel's name unless it is mapped. In the
   * format {@link #CPP} it may be an expression; see {@link EntryName}.
   */
  public String entry(String kernel) {
    return entries.getOrDefault(kernel, kernel);
  }

  /**
   * The entry point of {@code kernel} in code that is compiled already, which has symbols only.
   *
   * @param what is being loaded, for people
   * @throws HalException INVALID_ARGUMENT if the manifest has an expression
   */
  public String symbol(String kernel, String what) {
    String entry = entry(kernel);
    if (EntryName.isExpression(entry)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          ("the entry point of kernel '%s' in %s is the expression '%s'; code in the format %s has"
                  + " plain names only, for an instance of a template the one that the compiler gave"
                  + " it")
              .formatted(kernel, what, entry, format));
    }
    return entry;
  }

  /**
   * Reads the file.
   *
   * @throws HalException NOT_FOUND if the file is not in the bundle; INVALID_ARGUMENT if this
   *     variant has no file or the file is outside the bundle; DATA_LOSS if reading fails
   */
  public byte[] readFile(ExecutableSource source) {
    if (file == null) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "bundle " + source.name() + ": the variant '" + format + "' has no file");
    }
    byte[] bytes = source.read(file);
    if (bytes == null) {
      throw new HalException(
          Status.NOT_FOUND,
          "bundle %s: the variant '%s' names the file '%s', which is not there"
              .formatted(source.name(), format, file));
    }
    return bytes;
  }
}
