package org.jhal.hip;

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
import org.jhal.hip.jna.HiprtcApi;
import org.jspecify.annotations.Nullable;

/**
 * AMD's run-time compiler: a library of its own from ROCm 7 on, before that also a part of the
 * runtime. What it makes is kept for the life of the process, so that a source is compiled once.
 *
 * <p>Thread-safe.
 */
final class Hiprtc {
  /** Where the library is, instead of where it is looked for: a system property. */
  static final String PROPERTY = "jhal.hip.hiprtc";

  /** The same as an environment variable. */
  static final String VARIABLE = "JHAL_HIP_HIPRTC";

  private static final String SYMBOL = "hiprtcCompileProgram";
  private static final String ARCHITECTURE = "--gpu-architecture=";
  private static final List<String> ARCHITECTURE_OPTIONS =
      List.of("--gpu-architecture", "--offload-arch", "-arch", "-mcpu", "--cuda-gpu-arch");
  private static final int MAX_KEPT = 256;

  private static @Nullable Hiprtc loaded; // guarded by the class

  private final HiprtcApi api;
  private final Comgr targets;
  private final Map<Key, byte[]> compiled = new ConcurrentHashMap<>();

  private record Key(String source, List<String> options) {}

  private Hiprtc(SharedLibrary compiler, int major) {
    api = compiler.map(HiprtcApi.class);
    targets = Comgr.of(compiler, major);
  }

  /**
   * The compiler that belongs to the runtime.
   *
   * @throws HalException UNIMPLEMENTED if there is none, with where it was looked for
   */
  static synchronized Hiprtc load(SharedLibrary runtime, int major) {
    Hiprtc found = loaded;
    if (found == null) {
      found = new Hiprtc(find(runtime, major), major);
      loaded = found;
    }
    return found;
  }

  private static SharedLibrary find(SharedLibrary runtime, int major) {
    String given = SharedLibrary.explicitPath(PROPERTY, VARIABLE);
    if (given == null && runtime.has(SYMBOL)) {
      return runtime;
    }
    List<String> tried = new ArrayList<>();
    for (String name : given != null ? List.of(given) : runtime.beside("libhiprtc.so", major)) {
      try {
        SharedLibrary library = SharedLibrary.open(name);
        if (library.has(SYMBOL)) {
          return library;
        }
        tried.add(name + " (which lacks " + SYMBOL + ")");
      } catch (UnsatisfiedLinkError e) {
        tried.add(SharedLibrary.reason(name, e));
      }
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        "no HIPRTC, which compiles sources: it comes with ROCm, and "
            + PROPERTY
            + " or "
            + VARIABLE
            + " may name its file; tried "
            + String.join(", ", tried));
  }

  /**
   * Compiles a source.
   *
   * @param name of the source, for the compiler's messages
   * @param architecture of the device, such as {@code gfx90a:sramecc+:xnack-}
   * @param what is being loaded, for people
   * @return a code object for hipModuleLoadData
   * @throws HalException INVALID_ARGUMENT if it does not compile, with the compiler's log, or if an
   *     option chooses an architecture; UNIMPLEMENTED if this compiler does not know the
   *     architecture
   */
  byte[] compile(
      String source, String name, List<String> options, String architecture, String what) {
    targets.check(architecture, what);
    checkOptions(options, what);
    List<String> all = new ArrayList<>();
    all.add(ARCHITECTURE + architecture);
    all.add("--std=c++17");
    all.addAll(options);
    Key key = new Key(name + "\n" + source, all);
    byte[] code = compiled.get(key);
    if (code == null) {
      if (compiled.size() >= MAX_KEPT) {
        compiled.clear(); // a program that makes its sources up as it goes
      }
      code = compiled.computeIfAbsent(key, missing -> compile(source, name, all, what));
    }
    return code;
  }

  /** An architecture that the compiler does not know would end the process. */
  private static void checkOptions(List<String> options, String what) {
    for (String option : options) {
      if (ARCHITECTURE_OPTIONS.stream().anyMatch(option::startsWith)) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "cannot compile "
                + what
                + ": the option "
                + option
                + " chooses an architecture, which the device at hand does");
      }
    }
  }

  private byte[] compile(String source, String name, List<String> options, String what) {
    PointerByReference program = new PointerByReference();
    check("hiprtcCreateProgram", api.hiprtcCreateProgram(program, source, name, 0, null, null));
    try {
      Pointer handle = program.getValue();
      int code =
          api.hiprtcCompileProgram(
              handle, options.size(), new StringArray(options.toArray(new String[0])));
      if (code != 0) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "cannot compile "
                + what
                + ": "
                + api.hiprtcGetErrorString(code)
                + " with "
                + String.join(" ", options)
                + ":\n"
                + log(handle));
      }
      LongByReference size = new LongByReference();
      check("hiprtcGetCodeSize", api.hiprtcGetCodeSize(handle, size));
      Memory made = new Memory(size.getValue());
      check("hiprtcGetCode", api.hiprtcGetCode(handle, made));
      return made.getByteArray(0, (int) made.size());
    } finally {
      int ignored = api.hiprtcDestroyProgram(program);
    }
  }

  private String log(Pointer program) {
    LongByReference size = new LongByReference();
    check("hiprtcGetProgramLogSize", api.hiprtcGetProgramLogSize(program, size));
    if (size.getValue() <= 1) {
      return "";
    }
    Memory log = new Memory(size.getValue() + 1); // not every version counts the zero
    log.clear();
    check("hiprtcGetProgramLog", api.hiprtcGetProgramLog(program, log));
    return log.getString(0, StandardCharsets.UTF_8.name()).strip();
  }

  private void check(String call, int code) {
    if (code != 0) {
      throw new HalException(
          Status.INTERNAL,
          call + " returned " + code + " (" + api.hiprtcGetErrorString(code) + ")");
    }
  }
}
