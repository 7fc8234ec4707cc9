package org.jhal.driver.gpu;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.support.Once;

/**
 * A vendor's run-time compiler of C++, a native library whose functions a subclass maps. What it
 * makes is kept for the life of the process, so that a source is compiled once.
 *
 * <p>Thread-safe.
 */
public abstract class RuntimeCompiler {
  private static final int MAX_KEPT = 256;

  private final Map<Key, Once<byte[]>> compiled = new ConcurrentHashMap<>();

  private record Key(String source, List<String> options) {}

  /** For subclasses. */
  protected RuntimeCompiler() {}

  // The library's functions; each returns a result, 0 for success.

  /** Makes a program of a source that includes no headers but the compiler's own. */
  protected abstract int create(PointerByReference program, String source, String name);

  /** Ends a program. */
  protected abstract int destroy(PointerByReference program);

  /** Compiles a program. */
  protected abstract int compile(Pointer program, int optionCount, StringArray options);

  /** How many bytes {@link #log} writes. */
  protected abstract int logSize(Pointer program, LongByReference size);

  /** Writes what the compiler has said. */
  protected abstract int log(Pointer program, Memory log);

  /** Takes the code, of whichever kind the options had it made. */
  protected abstract byte[] code(Pointer program, List<String> options);

  /** The name of a result. */
  protected abstract String errorString(int code);

  /**
   * Compiles a source as C++17, or finds it compiled.
   *
   * @param name of the source, for the compiler's messages
   * @param architecture the option that chooses what code is made
   * @param options others
   * @param what is being loaded, for people
   * @throws HalException INVALID_ARGUMENT if it does not compile, with the compiler's log
   */
  protected final byte[] compile(
      String source, String name, String architecture, List<String> options, String what) {
    List<String> all = new ArrayList<>();
    all.add(architecture);
    all.add("--std=c++17");
    all.addAll(options);
    Key key = new Key(name + "\n" + source, all);
    if (compiled.size() >= MAX_KEPT) {
      compiled.clear(); // a program that makes its sources up as it goes
    }
    return compiled
        .computeIfAbsent(key, missing -> new Once<>())
        .get(() -> compileNow(source, name, all, what));
  }

  private byte[] compileNow(String source, String name, List<String> options, String what) {
    PointerByReference program = new PointerByReference();
    check("CreateProgram", create(program, source, name));
    try {
      Pointer handle = program.getValue();
      int code = compile(handle, options.size(), new StringArray(options.toArray(new String[0])));
      if (code != ResultCodes.SUCCESS) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "cannot compile "
                + what
                + ": "
                + errorString(code)
                + " with "
                + String.join(" ", options)
                + ":\n"
                + log(handle));
      }
      return code(handle, options);
    } finally {
      int ignored = destroy(program);
    }
  }

  private String log(Pointer program) {
    LongByReference size = new LongByReference();
    check("GetProgramLogSize", logSize(program, size));
    if (size.getValue() <= 1) {
      return "";
    }
    Memory log = new Memory(size.getValue() + 1); // not every version counts the zero
    log.clear();
    check("GetProgramLog", log(program, log));
    return log.getString(0, StandardCharsets.UTF_8.name()).strip();
  }

  /** Throws the failure of a function, if its result is one. */
  protected final void check(String kernel, int code) {
    if (code != ResultCodes.SUCCESS) {
      throw new HalException(
          Status.INTERNAL,
          kernel + " of the compiler returned " + code + " (" + errorString(code) + ")");
    }
  }

  /** What a pair of functions gives: how many bytes there are, and the bytes. */
  protected final byte[] bytes(int sizeResult, LongByReference size, Fetch fetch) {
    check("the size of the code", sizeResult);
    Memory made = new Memory(size.getValue());
    check("the code", fetch.into(made));
    return made.getByteArray(0, (int) made.size());
  }

  /** Writes code to memory that is large enough; returns a result. */
  @FunctionalInterface
  protected interface Fetch {
    /** Writes it. */
    int into(Memory target);
  }
}
