// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.compile.Architecture;
import org.jhal.cpu.compile.CpuFeatures;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.compile.KernelLibrary;
import org.jhal.cpu.compile.SourceCompiler;
import org.jhal.driver.bundle.Manifest;
import org.jhal.driver.bundle.Variant;
import org.jhal.driver.source.SourceCode;
import org.jhal.spi.HostFailures;
import org.jhal.spi.Suggestion;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the kernels of a bundle for CPUs of machines that have no compiler; {@code hal compile}
 * runs it. {@code --help} describes it.
 *
 * <p>Thread-safe.
 */
public final class CompileTool implements ToolProvider {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final int NO_COMPILER = 3;

  /** The options that have a value. */
  private static final Set<String> VALUED = Set.of("--out", "--for", "--compiler");

  private static final String HELP =
      """
      Compiles the kernels in C++ (gpu-c++) of a bundle for the device cpu of machines that have no
      compiler, as variants in the format cpu-so.

      Usage: hal compile BUNDLE (--out FOLDER | --add) [options]

        BUNDLE           a folder, or a zip or jar file
        --out FOLDER     write an overlay to this folder, for --variants; it is created if needed
        --add            add the variants to the bundle itself, which must be a folder
                         Both replace variants for the same architectures, and keep all others.
        --for LIST       what to compile for, separated by commas: %s;
                         the default is x86_64-v3 on x86-64, and aarch64 on 64-bit ARM
        --compiler FILE  the compiler, a file or a name on the PATH; the default is c++, g++ or clang++ on the PATH, and for
                         another kind of processor than this machine's, such as aarch64-linux-gnu-g++
        --help           print this

      Exit codes: 0 success, 1 compiling or writing failed, 2 wrong usage or bad input,
      3 no compiler for one of the architectures. In case of a failure nothing is written.
      """
          .formatted(String.join(", ", Architecture.labels()));

  /** The service loader calls it. */
  public CompileTool() {}

  @Override
  public String name() {
    return "hal-compile";
  }

  /** One line for {@code hal --help}; from Java 19 on ToolProvider declares it. */
  public Optional<String> description() {
    return Optional.of("Compiles C++ kernels for machines without a compiler.");
  }

  private static final class Request {
    private @Nullable String bundle;
    private @Nullable Path out;
    private boolean isAdding;
    private @Nullable String architectures;
    private @Nullable String compiler;
  }

  /** Ends the command with an exit code. */
  private static final class CommandException extends Exception {
    private static final long serialVersionUID = 1;
    private final int exitCode;

    CommandException(int exitCode, String message) {
      super(message);
      this.exitCode = exitCode;
    }
  }

  @Override
  public int run(PrintWriter out, PrintWriter err, String... args) {
    try {
      List<String> all = words(args);
      if (all.contains("--help") || all.contains("-h")) {
        out.print(HELP);
        return OK;
      }
      compile(parse(all), out);
      return OK;
    } catch (CommandException e) {
      err.println("hal: " + e.getMessage());
      return e.exitCode;
    } catch (HalException e) {
      String text = e.status() + ": " + e.getMessage();
      err.println("hal: " + text.strip().replaceAll("\\R", System.lineSeparator() + "    "));
      boolean isInput = e.status() == Status.INVALID_ARGUMENT || e.status() == Status.NOT_FOUND;
      return isInput ? USAGE : FAILED;
    } finally {
      out.flush();
      err.flush();
    }
  }

  private static CommandException usage(String message) {
    return new CommandException(
        USAGE, "INVALID_ARGUMENT: " + message + " (see hal compile --help)");
  }

  /** Splits {@code --out=FOLDER} and the like into two words. */
  private static List<String> words(String... args) {
    List<String> words = new ArrayList<>();
    for (String arg : args) {
      int equals = arg.indexOf('=');
      boolean isJoined = equals > 0 && VALUED.contains(arg.substring(0, equals));
      words.addAll(
          isJoined ? List.of(arg.substring(0, equals), arg.substring(equals + 1)) : List.of(arg));
    }
    return words;
  }

  private static Request parse(List<String> args) throws CommandException {
    Request request = new Request();
    for (int i = 0; i < args.size(); i++) {
      String arg = args.get(i);
      switch (arg) {
        case "--out" -> request.out = path(value(args, ++i, "a folder"));
        case "--for" -> request.architectures = value(args, ++i, "a list of architectures");
        case "--compiler" -> request.compiler = value(args, ++i, "the file of a compiler");
        case "--add" -> request.isAdding = true;
        default -> {
          if (arg.startsWith("-") || request.bundle != null) {
            throw usage("unknown argument '" + arg + "'" + Suggestion.ofOption(arg, HELP));
          }
          request.bundle = arg;
        }
      }
    }
    if (request.bundle == null) {
      throw usage("a bundle is missing");
    }
    if (request.out != null && request.isAdding) {
      throw usage("--out and --add exclude each other");
    }
    if (request.out == null && !request.isAdding) {
      throw usage("either --out FOLDER or --add is needed");
    }
    return request;
  }

  private static String value(List<String> args, int index, String what) throws CommandException {
    if (index >= args.size() || args.get(index).isEmpty()) {
      throw usage(args.get(index - 1) + " needs " + what);
    }
    return args.get(index);
  }

  private static Path path(String text) throws CommandException {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      throw usage("'" + text + "' is not a path: " + e.getMessage());
    }
  }

  private static void compile(Request request, PrintWriter out) throws CommandException {
    Path bundle = path(String.valueOf(request.bundle));
    ExecutableSource source = ExecutableSource.of(bundle);
    Manifest manifest = Manifest.read(source);
    Variant variant =
        manifest.variants().stream()
            .filter(one -> one.format().equals(Variant.CPP))
            .findFirst()
            .orElseThrow(
                () ->
                    usage(
                        "bundle %s has no kernels in %s, but %s"
                            .formatted(
                                bundle,
                                Variant.CPP,
                                new TreeSet<>(
                                    manifest.variants().stream().map(Variant::format).toList()))));
    Map<Architecture, HostCompiler> compilers = new LinkedHashMap<>();
    for (Architecture architecture : architectures(request.architectures)) {
      compilers.put(architecture, compiler(architecture, request.compiler));
    }
    CpuVariants target =
        request.out == null
            ? CpuVariants.inBundle(bundle)
            : CpuVariants.inOverlay(request.out, manifest.name());
    String file = String.valueOf(variant.file());
    String what = file + " of bundle " + source.name();
    SourceCode code = SourceCode.read(source, file, variant.readFile(source), what);
    List<String> lines = new ArrayList<>();
    for (Map.Entry<Architecture, HostCompiler> each : compilers.entrySet()) {
      Architecture architecture = each.getKey();
      String name = what + " for " + architecture;
      byte[] library =
          new SourceCompiler(each.getValue(), null, architecture)
              .compile(code, variant, manifest.kernels(), name);
      KernelLibrary.read(library, name); // a compiler for other processors is found now
      String made = target.add(file, architecture, library);
      int size = (library.length + 1023) / 1024;
      lines.add(String.format(Locale.ROOT, "%-10s  %4d KiB  %s", architecture, size, made));
    }
    try {
      target.write();
    } catch (IOException e) {
      HalException failure = HostFailures.of(Status.DATA_LOSS, "cannot write the variants", e);
      throw new CommandException(FAILED, failure.status() + ": " + failure.getMessage());
    }
    lines.forEach(out::println);
  }

  /** What to compile for, the highest level first, since devices take the first that they can. */
  private static List<Architecture> architectures(@Nullable String list) throws CommandException {
    if (list == null) {
      String kind = CpuFeatures.machine().kind();
      for (Architecture one : List.of(Architecture.X86_64_V3, Architecture.AARCH64)) {
        if (one.family().equals(kind)) {
          return List.of(one);
        }
      }
      throw usage("--for is needed on a " + kind + " processor");
    }
    List<Architecture> named = new ArrayList<>();
    for (String label : list.split(",", -1)) {
      Architecture one = Architecture.of(label.strip());
      if (one == null) {
        throw usage(
            "--for has '%s'; known are %s"
                .formatted(label, String.join(", ", Architecture.labels())));
      }
      named.add(one);
    }
    return Architecture.highestFirst().stream().filter(named::contains).toList();
  }

  private static HostCompiler compiler(Architecture architecture, @Nullable String file)
      throws CommandException {
    if (file != null) {
      return HostCompiler.at(file);
    }
    String kind = architecture.family();
    Optional<HostCompiler> found = HostCompiler.findFor(kind);
    if (found.isPresent()) {
      return found.get();
    }
    boolean isOwn = CpuFeatures.machine().kind().equals(kind);
    throw new CommandException(
        NO_COMPILER,
        "FAILED_PRECONDITION: there is no C++ compiler for %s on the PATH (%s); --compiler names one"
            .formatted(architecture, isOwn ? HostCompiler.names() : HostCompiler.crossName(kind)));
  }
}
