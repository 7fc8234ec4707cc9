// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.runtime.Resources;
import org.jhal.kernels.dialect.Dialect;
import org.jhal.kernels.source.SourceCode;

/**
 * A C++ compiler of this machine, called as a process. Each call has a folder of its own for its
 * files.
 *
 * <p>Thread-safe.
 */
public final class HostCompiler {
  /** In the order in which they are searched for. */
  private static final List<String> NAMES = List.of("c++", "g++", "clang++");

  /** What {@link #version} has found out, by {@link #file}. */
  private static final Map<String, String> VERSIONS = new ConcurrentHashMap<>();

  /** What {@link #hooks} has made, likewise; it takes as long as many kernels do. */
  private static final Map<String, byte[]> COMPILED_HOOKS = new ConcurrentHashMap<>();

  private static final List<String> FLAGS =
      List.of(
          "-O3",
          "-fPIC",
          "-shared",
          "-fvisibility=hidden",
          "-fno-exceptions",
          "-fno-rtti",
          "-fwrapv",
          "-fno-strict-aliasing",
          "-ffunction-sections", // which ObjectFile needs
          "-fdata-sections",
          "-fstack-clash-protection", // a large frame must not step over the guard below the stack
          "-fno-math-errno",
          "-fno-trapping-math",
          "-ffp-contract=off",
          "-static-libgcc", // a machine without a compiler may lack these libraries
          "-static-libstdc++",
          "-w");

  /** Sources see the headers of their bundle and of the dialect, and none of this machine. */
  private static final List<String> PREPROCESS =
      List.of(
          "-E",
          "-x",
          "c++",
          "-std=c++17",
          "-DHAL_CPU",
          "-nostdinc",
          "-iquote",
          "quoted",
          "-isystem",
          "include",
          "-include",
          "headers/hal_macros.h");

  /** What {@code march} is for the processors of this machine. */
  static final String NATIVE = "native";

  private static final String VECTORS = "vectors.txt"; // what GCC says of them
  private static final String VECTORS_TO = "-fdump-tree-vect-details=";
  private static final String NO_VECTORS = "-fno-tree-loop-vectorize";

  // In the words of /proc/cpuinfo.
  private static final String HAS_MASKS = "avx512vl";
  private static final String HAS_WIDE_VECTORS = "avx512_vbmi2";
  private static final String HAS_FAST_GATHERS = "avx512_fp16";

  /**
   * GCC prefers vectors of 256 bits for Intel, since the first processors with AVX-512 lower their
   * clock for longer ones. Those with VBMI2 hardly do.
   */
  private static final String WIDE_VECTORS = "-mprefer-vector-width=512";

  /**
   * GCC 13.3 and later load no scattered elements at once on Intel's processors that do so slowly
   * since the mitigation of Downfall, and takes some others for these, as their model is what a
   * virtual machine shows. None of those with FP16 is affected.
   */
  private static final String GATHERS = "-mtune-ctrl=use_gather";

  /**
   * Keeps GCC 12 from taking {@code (float)(int)x} for {@code trunc(x)}, which is -0 for -0.5, and
   * {@code (float)(int)floor(x)} for {@code floor(x)} (findings/gcc-integer-keeps-sign-of-zero.sh).
   *
   * <p>And it lets GCC compute under the masks of AVX-512, too. Else what was in a register before
   * is computed with in the lanes that a load leaves out, and subnormal numbers there take Intel
   * ten times as long (findings/gcc-masked-load-keeps-lanes.sh). Without AVX-512, there were no
   * vectors then.
   */
  private static final String TRAPPING = "-ftrapping-math";

  /** In what GCC says about itself. Version 13.3 does not take it for that. */
  private static final Pattern MAY_TRUNCATE = Pattern.compile("(?m)^.*\\) 1[23]\\.");

  private static final String LINES = "-gdwarf-4"; // as LineTable reads them

  /**
   * How kernels are compiled that are checked: each access calls a function of hal_hooks.c, and the
   * lines of the source can be found by the address of the call.
   */
  private static final List<String> CHECKED =
      List.of(
          "-O1",
          "-g", // with the types of variables, for VariableTypes
          "-fno-var-tracking", // where they are in registers is not asked for
          LINES,
          "-DHAL_CHECKED",
          "-fsanitize=thread",
          "-fsanitize-recover=all", // hooks report, and return
          "-fno-optimize-sibling-calls", // whoever calls a hook is its caller
          "-fno-builtin-memcpy",
          "-fno-builtin-memset",
          "-fno-builtin-memmove");

  // Numbers of hal_check.h.
  private static final int CHECKS_MEMORY = 1;
  private static final int CHECKS_RACES = 2;
  private static final int CHECKS_VALUES = 8;

  /** Functions of the C library whose calls in checked kernels become those of hooks. */
  private static final List<String> WRAPPED =
      List.of("-Wl,--wrap=memcpy", "-Wl,--wrap=memmove", "-Wl,--wrap=memset");

  private static final List<String> CHECKED_BY_GCC =
      List.of("--param", "tsan-distinguish-volatile=1");

  private static final List<String> CHECKED_BY_CLANG =
      List.of(
          "-mllvm", "-tsan-distinguish-volatile=1", "-mllvm", "-tsan-instrument-func-entry-exit=0");

  /** Hooks must not call the functions of the C library that are replaced, not even in a loop. */
  private static final List<String> HOOKS =
      List.of("-x", "c", "-O2", "-fPIC", "-w", "-fno-builtin", "-I", "headers");

  private static final List<String> RUNTIME =
      List.of("-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-pthread", "-w", "-I", "headers");

  /** Whether there are assertions is decided where a source includes this. */
  private static final String ASSERT =
      """
      #undef assert
      #ifdef NDEBUG
      #define assert(...) ((void)0)
      #endif
      """;

  private final Path path;

  private HostCompiler(Path path) {
    this.path = path;
  }

  /**
   * The compiler in a file, or of a name on the path of executables.
   *
   * @throws HalException INVALID_ARGUMENT if there is none that can be executed
   */
  public static HostCompiler at(String file) {
    boolean isName = !file.contains("/");
    try {
      Optional<HostCompiler> named = isName ? find(file) : Optional.empty();
      if (named.isPresent()) {
        return named.get();
      }
      Path path = Path.of(file);
      if (isProgram(path)) {
        return new HostCompiler(path.toAbsolutePath());
      }
    } catch (InvalidPathException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "the compiler '" + file + "' is not a path: " + e.getMessage(),
          e);
    }
    throw new HalException(
        Status.INVALID_ARGUMENT,
        "the compiler '%s' is not a file that can be executed%s"
            .formatted(file, isName ? ", nor the name of one on the PATH" : ""));
  }

  /** The first one on the path of executables. Looks at files, and runs nothing. */
  public static Optional<HostCompiler> find() {
    return NAMES.stream().flatMap(name -> find(name).stream()).findFirst();
  }

  /** Finds the compiler of a name on the path of executables. Runs nothing. */
  public static Optional<HostCompiler> find(String name) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      Path candidate = Path.of(folder.isEmpty() ? "." : folder, name);
      if (isProgram(candidate)) {
        return Optional.of(new HostCompiler(candidate.toAbsolutePath()));
      }
    }
    return Optional.empty();
  }

  /**
   * Finds a compiler for a kind of processor: the machine's own, or a cross compiler with the usual
   * name, such as {@code aarch64-linux-gnu-g++}.
   */
  public static Optional<HostCompiler> findFor(String kind) {
    return CpuFeatures.machine().kind().equals(kind) ? find() : find(crossName(kind));
  }

  /** The usual name of a cross compiler. */
  public static String crossName(String kind) {
    return kind + "-linux-gnu-g++";
  }

  private static boolean isProgram(Path path) {
    return Files.isExecutable(path) && !Files.isDirectory(path);
  }

  /** What to say if {@link #find()} finds none. */
  public static String absence() {
    return "there is no C++ compiler on the PATH (" + names() + ")";
  }

  /** The names by which {@link #find()} searches, for messages. */
  public static String names() {
    return String.join(", ", NAMES);
  }

  /** Which compiler it is, for the key of what it compiles: its files, and its version. */
  public String identity() {
    return file() + "\n" + version();
  }

  /** Its file, by the path that it was found by and the real one: a wrapper looks at its name. */
  private String file() {
    try {
      Path real = path.toRealPath();
      long modified = Files.getLastModifiedTime(real).toMillis();
      return path + " " + real + " " + Files.size(real) + " " + modified;
    } catch (IOException e) {
      return path + " " + e; // and so is the call that follows
    }
  }

  /**
   * What it prints about its version, which for a wrapper is that of the compiler behind it.
   *
   * @throws HalException as {@link CompilerRun#call}; that is not kept, as the next call may
   *     succeed
   */
  private String version() {
    return VERSIONS.computeIfAbsent(
        file(),
        file ->
            CompilerRun.run(
                run -> {
                  run.call(List.of(path.toString(), "--version"), "anything");
                  return run.log();
                }));
  }

  private boolean isClang() {
    return version().contains("clang");
  }

  /** The flags with which it compiles kernels. */
  public List<String> flags() {
    List<String> flags = new ArrayList<>(FLAGS);
    if (isClang()) {
      // Conversions of numbers beyond the range of an integer saturate, also implicit ones.
      flags.add("-fno-strict-float-cast-overflow");
      // Else versions 14 to 19 read all[65] for all[13 * 5 % 64].
      flags.addAll(List.of("-mllvm", "-enable-interleaved-mem-accesses=false"));
    } else {
      flags.add("-fno-gnu-unique"); // the loader would keep a library that has such names
      if (MAY_TRUNCATE.matcher(version()).find()) {
        flags.add(TRAPPING);
      }
    }
    return flags;
  }

  /** What GCC is told of the vectors of a processor, by its features, beside what it is. */
  static List<String> vectorFlags(Set<String> features, boolean hasMasks) {
    List<String> flags = new ArrayList<>();
    if (features.contains(HAS_WIDE_VECTORS)) {
      flags.add(WIDE_VECTORS);
    }
    if (features.contains(HAS_FAST_GATHERS)) {
      flags.add(GATHERS);
    }
    if (features.contains(HAS_MASKS) && hasMasks) {
      flags.add(TRAPPING);
    }
    return flags;
  }

  private List<String> checkedFlags(int checks) {
    List<String> flags = new ArrayList<>(CHECKED);
    if ((checks & CHECKS_MEMORY) != 0) {
      flags.add("-fsanitize=alignment");
    }
    if ((checks & CHECKS_VALUES) != 0) {
      flags.add("-fsanitize=shift-exponent,integer-divide-by-zero,float-cast-overflow");
    }
    flags.addAll(isClang() ? CHECKED_BY_CLANG : CHECKED_BY_GCC);
    return flags;
  }

  /** Whether these checks find casts beyond the range of an integer. */
  static boolean findsCasts(int checks) {
    return (checks & CHECKS_VALUES) != 0;
  }

  /** All flags that it is called with, for the same key. */
  public String allFlags() {
    return flags()
        + "\n"
        + checkedFlags(-1)
        + CheckedAssembly.version()
        + VECTORS_TO
        + NO_VECTORS
        + vectorFlags(CpuFeatures.machine().flags(), true)
        + HOOKS
        + "\n"
        + PREPROCESS
        + "\n"
        + RUNTIME;
  }

  /** Preprocesses a source. */
  String preprocess(SourceCode source, List<String> options, String what) {
    return CompilerRun.run(
        run -> {
          run.write("source/source.cpp", SourceCode.lineOne(source.name()) + source.text());
          for (Map.Entry<String, String> header : source.headers().entrySet()) {
            String name = header.getKey(); // what messages and __FILE__ call it
            run.write("quoted/" + name, SourceCode.lineOne(name) + header.getValue());
          }
          for (String name : Dialect.includes().keySet()) {
            run.write("include/" + name, isOfAssert(name) ? ASSERT : "");
          }
          List<String> call = call(run, PREPROCESS);
          call.addAll(options);
          call.addAll(List.of("-o", "source.ii", "source/source.cpp"));
          try {
            run.call(call, what);
          } catch (HalException e) {
            throw new HalException(e.status(), source.withHint(String.valueOf(e.getMessage())), e);
          }
          return Files.readString(run.folder().resolve("source.ii"));
        });
  }

  private static boolean isOfAssert(String include) {
    return include.equals("assert.h") || include.equals("cassert");
  }

  /** What looks at compiled kernels before they become a library. */
  interface Check {
    /** Throws an exception if they must not. */
    void look(ObjectFile compiled);
  }

  /**
   * Compiles translated kernels to a library.
   *
   * @param march the processors that it is for, as GCC and Clang name them
   * @param hasMasks whether it computes for rows of items under masks
   * @param checks what is to be checked when the kernels run, as a sum of the numbers of {@code
   *     hal_check.h}; 0 for nothing
   */
  byte[] compile(
      String translated,
      String march,
      boolean hasMasks,
      int checks,
      List<String> options,
      String what,
      Check check) {
    return CompilerRun.run(
        run -> {
          run.write("kernels.cpp", translated);
          List<String> flags = new ArrayList<>(flags());
          flags.add("-march=" + march);
          if (march.equals(NATIVE) && !isClang()) {
            flags.addAll(vectorFlags(CpuFeatures.machine().flags(), hasMasks));
          }
          List<String> call = call(run, List.of("-x", "c++"));
          call.addAll(flags);
          call.addAll(options);
          if (checks != 0) {
            call.addAll(checkedFlags(checks));
          }
          call.addAll(List.of("-I", "headers"));
          if (checks != 0 && CpuFeatures.machine().kind().equals("x86_64")) {
            call.addAll(List.of("-S", "-o", "kernels.s", "kernels.cpp"));
            run.call(call, what);
            boolean compares = (checks & (CHECKS_RACES | CHECKS_VALUES)) == 0;
            Path assembly = run.folder().resolve("kernels.s");
            run.write("kernels.s", CheckedAssembly.withSites(Files.readString(assembly), compares));
            run.call(List.of(path.toString(), LINES, "-c", "-o", "kernels.o", "kernels.s"), what);
          } else {
            call.addAll(List.of("-c", "-o", "kernels.o", "kernels.cpp"));
            compileVectors(run, call, what);
          }
          Path object = run.folder().resolve("kernels.o");
          byte[] compiled = Files.readAllBytes(object);
          check.look(new ObjectFile(compiled));
          List<String> link = new ArrayList<>(List.of(path.toString()));
          link.addAll(flags);
          link.addAll(List.of("-o", "kernels.so", "kernels.o"));
          if (checks != 0) {
            SharedVariables.Separated separated = SharedVariables.separate(compiled);
            Files.write(object, separated.object());
            Files.write(run.folder().resolve("hooks.o"), hooks());
            run.write("names.c", separated.names());
            List<String> names = new ArrayList<>(List.of(path.toString()));
            names.addAll(List.of("-x", "c", "-fPIC", "-c", "-o", "names.o", "names.c"));
            run.call(names, "the names of shared variables");
            link.add("names.o");
            link.add("hooks.o");
            link.addAll(WRAPPED);
          }
          link.add("-lm");
          run.call(link, what);
          return Files.readAllBytes(run.folder().resolve("kernels.so"));
        });
  }

  /** Compiles without vectors what GCC would make wrong code of, or cannot compile with them. */
  private void compileVectors(CompilerRun run, List<String> command, String what)
      throws IOException {
    if (isClang()) {
      run.call(command, what);
      return;
    }
    List<String> call = new ArrayList<>(command);
    call.add(VECTORS_TO + VECTORS);
    try {
      run.call(call, what);
      Path dump = run.folder().resolve(VECTORS);
      if (!Files.exists(dump) || !VectorizerDump.showsWrongCode(dump)) {
        return; // there is none without optimization
      }
    } catch (HalException e) {
      if (e.status() != Status.UNIMPLEMENTED) {
        throw e;
      }
      // The compiler has failed, not the source: its vectorizer may be the reason.
    }
    List<String> scalar = new ArrayList<>(command);
    scalar.add(NO_VECTORS);
    run.call(scalar, what);
  }

  /** What checked kernels call, which is the same in each library. */
  private byte[] hooks() {
    byte[] known = COMPILED_HOOKS.get(file());
    if (known != null) {
      return known;
    }
    byte[] made =
        CompilerRun.run(
            run -> {
              List<String> call = call(run, HOOKS);
              if (!isClang()) {
                call.add("-fno-tree-loop-distribute-patterns");
              }
              call.addAll(List.of("-c", "-o", "hooks.o", "headers/hal_hooks.c"));
              run.call(call, "the hooks of checked kernels");
              return Files.readAllBytes(run.folder().resolve("hooks.o"));
            });
    COMPILED_HOOKS.put(file(), made);
    return made;
  }

  /** Compiles the runtime to a library. */
  public byte[] compileRuntime() {
    return CompilerRun.run(
        run -> {
          List<String> call = call(run, RUNTIME);
          // The language is said before each file: g++ takes those behind the first for C++.
          for (Path file : Resources.writeRuntime(run.folder())) {
            call.addAll(List.of("-x", "c", file.getFileName().toString()));
          }
          call.addAll(List.of("-o", "runtime.so", "-ldl", "-lm"));
          run.call(call, "the runtime of the CPU device");
          return Files.readAllBytes(run.folder().resolve("runtime.so"));
        });
  }

  private List<String> call(CompilerRun run, List<String> first) throws IOException {
    Resources.writeHeaders(Files.createDirectories(run.folder().resolve("headers")));
    List<String> call = new ArrayList<>();
    call.add(path.toString());
    call.addAll(first);
    return call;
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
