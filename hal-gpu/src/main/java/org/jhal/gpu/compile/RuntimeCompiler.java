// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;
import org.jhal.driver.support.Lazy;
import org.jhal.gpu.natives.GpuProperties;
import org.jhal.gpu.natives.ResultCodes;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * A vendor's run-time compiler for C++. Compiled code is cached for the life of the process, except
 * that of a source that may read files unknown to JHAL.
 *
 * <p>Thread-safe.
 */
public abstract class RuntimeCompiler {
  private static final int MAX_KEPT = 256;

  private static final int OUT_OF_MEMORY = 1; // of all compilers with these functions

  /** The language of sources whose options name none. */
  static final String STANDARD = "--std=c++17";

  private final String name;
  private final CompilerApi api;
  private final List<CompilerFiles.@Nullable State> files; // at loading; null: unknown
  private final Map<Key, Lazy<CompiledCode>> compiled = new ConcurrentHashMap<>();

  private record Key(SourceCode source, List<String> options, List<String> expressions) {}

  /**
   * For subclasses: over the library's functions.
   *
   * @param name of the compiler, for people
   * @param files the files of the library and of those that it uses; null if unknown
   */
  protected RuntimeCompiler(String name, CompilerApi api, List<@Nullable Path> files) {
    this.name = name;
    this.api = api;
    this.files = new ArrayList<>();
    files.forEach(file -> this.files.add(CompilerFiles.state(file)));
  }

  /** Whether it was loaded from exactly these files, in this state. */
  final boolean isFrom(CompilerFiles described) {
    return files.stream().allMatch(file -> file != null && described.files().contains(file));
  }

  /**
   * The option that selects the architecture.
   *
   * @param architecture of the device, as in {@link GpuProperties}
   * @param options the options of the bundle
   * @param what is being loaded, for people
   * @throws HalException UNIMPLEMENTED if this compiler has no code generator for the device;
   *     INVALID_ARGUMENT if an option is not allowed
   */
  protected abstract String architectureOption(
      String architecture, List<String> options, String what);

  /**
   * What this compiler gets as a file. Most name it in their messages as they are told to.
   *
   * @param name of the source, or of a header as it is included
   */
  protected String text(String name, String text) {
    return text;
  }

  /**
   * Whether a macro that an option defines is defined in the source instead. A compiler that puts a
   * header of its own in front of each source would apply the option to that, too, whose names it
   * may change. By default, all stay options.
   *
   * @param macro its name, which begins with a letter, perhaps with parameters and a value
   */
  protected boolean isForSource(String macro) {
    return false;
  }

  /** The compiled code, whose kind depends on the options. */
  protected abstract byte[] code(Pointer program, List<String> options);

  /**
   * Compiles a source that includes at most files of the compiler and of JHAL, and whose entry
   * points are plain names.
   */
  public final byte[] compile(
      String source, String name, List<String> options, String architecture, String what) {
    SourceCode alone = new SourceCode(source, name, Map.of(), List.of());
    SourceCode whole = DialectHeaders.addTo(alone, options);
    return compile(whole, options, List.of(), architecture, what).code();
  }

  /**
   * Compiles a source as C++17, or takes it from the cache.
   *
   * @param expressions the entry points that are expressions
   * @throws HalException INVALID_ARGUMENT if it does not compile, with the compiler's log;
   *     RESOURCE_EXHAUSTED if the compiler lacks memory; otherwise as {@link #architectureOption}
   */
  final CompiledCode compile(
      SourceCode source,
      List<String> options,
      List<String> expressions,
      String architecture,
      String what) {
    List<String> all = new ArrayList<>();
    all.add(architectureOption(architecture, options, what));
    if (options.stream().noneMatch(RuntimeCompiler::namesStandard)) {
      all.add(STANDARD); // NVRTC before 12 refuses a second one
    }
    all.addAll(options);
    if (!source.isSelfContained(options)) {
      return compileNow(source, all, expressions, what); // a file that it reads may have changed
    }
    Key key = new Key(source, all, expressions);
    if (compiled.size() >= MAX_KEPT) {
      compiled.clear(); // the program seems to generate sources
    }
    return compiled
        .computeIfAbsent(key, missing -> new Lazy<>())
        .get(() -> compileNow(source, all, expressions, what));
  }

  private static boolean namesStandard(String option) {
    return option.startsWith("--std") || option.startsWith("-std");
  }

  private CompiledCode compileNow(
      SourceCode source, List<String> options, List<String> expressions, String what) {
    PointerByReference program = new PointerByReference();
    int count = source.headers().size();
    List<String> headers = new ArrayList<>();
    source.headers().forEach((name, text) -> headers.add(text(name, text)));
    StringArray texts = strings(headers);
    StringArray names = strings(source.headers().keySet());
    Definitions definitions = Definitions.of(options, this::isForSource);
    List<String> passed = definitions.others();
    String text = text(source.name(), definitions.before(source.text()));
    int created = api.createProgram(program, text, source.name(), count, texts, names);
    check("CreateProgram", created);
    try {
      Pointer handle = program.getValue();
      for (String expression : expressions) {
        check("AddNameExpression", api.addNameExpression(handle, expression));
      }
      int code =
          api.compileProgram(handle, passed.size(), new StringArray(passed.toArray(new String[0])));
      if (code != ResultCodes.SUCCESS) {
        throw new HalException(
            code == OUT_OF_MEMORY ? Status.RESOURCE_EXHAUSTED : Status.INVALID_ARGUMENT,
            "cannot compile %s: %s with %s:\n%s"
                .formatted(
                    what,
                    api.getErrorString(code),
                    String.join(" ", options),
                    source.withHint(log(handle))),
            null,
            nativeCode(api, code));
      }
      Map<String, String> symbols = new HashMap<>();
      for (String expression : expressions) {
        symbols.put(expression, symbol(handle, expression));
      }
      return new CompiledCode(code(handle, options), symbols);
    } finally {
      api.destroyProgram(program);
    }
  }

  private String symbol(Pointer program, String expression) {
    PointerByReference symbol = new PointerByReference();
    int code = api.getLoweredName(program, expression, symbol);
    check("GetLoweredName of '" + expression + "'", code);
    return symbol.getValue().getString(0, StandardCharsets.UTF_8.name());
  }

  /** Name, version if known, and file. */
  @Override
  public final String toString() {
    return name;
  }

  private static @Nullable StringArray strings(Collection<String> some) {
    return some.isEmpty() ? null : new StringArray(some.toArray(new String[0]));
  }

  private String log(Pointer program) {
    LongByReference size = new LongByReference();
    check("GetProgramLogSize", api.getProgramLogSize(program, size));
    if (size.getValue() <= 1) {
      return "";
    }
    Memory log = new Memory(size.getValue() + 1); // in case the zero is not counted
    log.clear();
    check("GetProgramLog", api.getProgramLog(program, log));
    return log.getString(0, StandardCharsets.UTF_8.name()).strip();
  }

  protected final void check(String function, int code) {
    check(api, function, code);
  }

  /** As {@link #check(String, int)}, before there is an object. */
  protected static void check(CompilerApi api, String function, int code) {
    if (code != ResultCodes.SUCCESS) {
      NativeCode described = nativeCode(api, code);
      throw new HalException(
          code == OUT_OF_MEMORY ? Status.RESOURCE_EXHAUSTED : Status.INTERNAL,
          function + " of the compiler returned " + code + " (" + described.name() + ")",
          null,
          described);
    }
  }

  /** A compiler's text for a code is its name. */
  private static NativeCode nativeCode(CompilerApi api, int code) {
    return new NativeCode(code, api.getErrorString(code));
  }

  /** The output of a pair of functions, one for the number of bytes and one for the bytes. */
  protected final byte[] bytes(int sizeResult, LongByReference size, ToIntFunction<Memory> fetch) {
    check("the size of the code", sizeResult);
    Memory made = new Memory(size.getValue());
    check("the code", fetch.applyAsInt(made));
    return made.getByteArray(0, (int) made.size());
  }
}
