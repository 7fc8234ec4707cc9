package org.jhal.cuda;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import com.sun.jna.StringArray;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.utils.Once;
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA's run-time compiler, which is a library of its own and need not be there. What it makes is
 * kept for the life of the process, so that a source is compiled once.
 *
 * <p>Thread-safe.
 */
final class Nvrtc {
  /** Where the library is, instead of where it is looked for: a system property. */
  static final String PROPERTY = "jhal.cuda.nvrtc";

  /** The same as an environment variable. */
  static final String VARIABLE = "JHAL_CUDA_NVRTC";

  private static final List<String> NAMES =
      Platform.isWindows()
          ? List.of("nvrtc64_130_0", "nvrtc64_120_0", "nvrtc64_112_0")
          : List.of("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so");
  private static final int MAX_KEPT = 256;

  private static final Once<Nvrtc> LOADED = new Once<>();

  private final Api api;
  private final Map<Key, Once<byte[]>> compiled = new ConcurrentHashMap<>();
  private final int[] architectures; // that it makes code for; ascending

  private record Key(String source, List<String> options) {}

  /** The functions of nvrtc.h, under their names. */
  private interface Api extends Library {
    int nvrtcCreateProgram(
        PointerByReference program,
        String source,
        String name,
        int headerCount,
        @Nullable Pointer headers,
        @Nullable Pointer includeNames);

    int nvrtcDestroyProgram(PointerByReference program);

    int nvrtcCompileProgram(Pointer program, int optionCount, StringArray options);

    int nvrtcGetPTXSize(Pointer program, LongByReference size);

    int nvrtcGetPTX(Pointer program, Memory code);

    int nvrtcGetCUBINSize(Pointer program, LongByReference size);

    int nvrtcGetCUBIN(Pointer program, Memory code);

    int nvrtcGetProgramLogSize(Pointer program, LongByReference size);

    int nvrtcGetProgramLog(Pointer program, Memory log);

    int nvrtcGetNumSupportedArchs(int[] count);

    int nvrtcGetSupportedArchs(int[] architectures);

    String nvrtcGetErrorString(int code);
  }

  private Nvrtc(String file) {
    api = Native.load(file, Api.class);
    int[] count = new int[1];
    check("nvrtcGetNumSupportedArchs", api.nvrtcGetNumSupportedArchs(count));
    architectures = new int[count[0]];
    check("nvrtcGetSupportedArchs", api.nvrtcGetSupportedArchs(architectures));
    Arrays.sort(architectures);
  }

  /**
   * The compiler.
   *
   * @throws HalException UNIMPLEMENTED if there is none, with where it was looked for
   */
  static Nvrtc load() {
    return LOADED.get(Nvrtc::find);
  }

  private static Nvrtc find() {
    List<String> tried = new ArrayList<>();
    CudaLibrary.Named given = CudaLibrary.named(PROPERTY, VARIABLE);
    for (String name : given != null ? List.of(given.path()) : candidates()) {
      try {
        NativeLibrary library = NativeLibrary.getInstance(name);
        if (CudaLibrary.has(library, "nvrtcGetSupportedArchs")) {
          return new Nvrtc(name);
        }
        tried.add(name + " (older than CUDA 11.2)");
      } catch (UnsatisfiedLinkError e) {
        tried.add(name);
      }
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        "no NVRTC, which compiles sources: it comes with the CUDA toolkit, and "
            + (given != null
                ? given.source() + " names its file"
                : PROPERTY + " or " + VARIABLE + " may name its file")
            + "; tried "
            + String.join(", ", tried));
  }

  private static List<String> candidates() {
    List<String> all = new ArrayList<>(NAMES);
    List<String> folders = new ArrayList<>();
    for (String variable : List.of("CUDA_HOME", "CUDA_PATH")) {
      String home = System.getenv(variable);
      if (home != null && !home.isEmpty()) {
        folders.add(home + (Platform.isWindows() ? "/bin" : "/lib64"));
      }
    }
    if (!Platform.isWindows()) {
      folders.add("/usr/local/cuda/lib64");
    }
    for (String folder : folders) {
      for (String name : NAMES) {
        File file = new File(folder, Platform.isWindows() ? name + ".dll" : name);
        if (file.isFile()) {
          all.add(file.getAbsolutePath());
        }
      }
    }
    return all;
  }

  /**
   * Compiles a source.
   *
   * @param name of the source, for the compiler's messages
   * @param capability of the device, such as 90
   * @param what is being loaded, for people
   * @return code for cuModuleLoadDataEx: for the very device if this compiler knows it, else PTX
   * @throws HalException INVALID_ARGUMENT if it does not compile, with the compiler's log
   */
  byte[] compile(String source, String name, List<String> options, int capability, String what) {
    boolean isKnown = Arrays.binarySearch(architectures, capability) >= 0;
    List<String> all = new ArrayList<>();
    all.add("--gpu-architecture=" + (isKnown ? "sm_" + capability : newest(capability, what)));
    all.add("--std=c++17");
    all.addAll(options);
    Key key = new Key(name + "\n" + source, all);
    if (compiled.size() >= MAX_KEPT) {
      compiled.clear(); // a program that makes its sources up as it goes
    }
    return compiled
        .computeIfAbsent(key, missing -> new Once<>())
        .get(() -> compile(source, name, all, isKnown, what));
  }

  /** The newest virtual architecture that runs on a device which is newer than this compiler. */
  private String newest(int capability, String what) {
    int best = 0;
    for (int architecture : architectures) {
      if (architecture <= capability) {
        best = architecture;
      }
    }
    if (best == 0) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "cannot compile "
              + what
              + ": this NVRTC makes code for "
              + Arrays.toString(architectures)
              + " only");
    }
    return "compute_" + best;
  }

  private byte[] compile(
      String source, String name, List<String> options, boolean isFinal, String what) {
    PointerByReference program = new PointerByReference();
    check("nvrtcCreateProgram", api.nvrtcCreateProgram(program, source, name, 0, null, null));
    try {
      Pointer handle = program.getValue();
      int code =
          api.nvrtcCompileProgram(
              handle, options.size(), new StringArray(options.toArray(new String[0])));
      if (code != 0) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "cannot compile "
                + what
                + ": "
                + api.nvrtcGetErrorString(code)
                + " with "
                + String.join(" ", options)
                + ":\n"
                + log(handle));
      }
      LongByReference size = new LongByReference();
      check(
          "nvrtcGet...Size",
          isFinal ? api.nvrtcGetCUBINSize(handle, size) : api.nvrtcGetPTXSize(handle, size));
      Memory made = new Memory(size.getValue());
      check(
          "nvrtcGet...", isFinal ? api.nvrtcGetCUBIN(handle, made) : api.nvrtcGetPTX(handle, made));
      return made.getByteArray(0, (int) made.size());
    } finally {
      int ignored = api.nvrtcDestroyProgram(program);
    }
  }

  private String log(Pointer program) {
    LongByReference size = new LongByReference();
    check("nvrtcGetProgramLogSize", api.nvrtcGetProgramLogSize(program, size));
    if (size.getValue() <= 1) {
      return "";
    }
    Memory log = new Memory(size.getValue());
    check("nvrtcGetProgramLog", api.nvrtcGetProgramLog(program, log));
    return log.getString(0, StandardCharsets.UTF_8.name()).strip();
  }

  private void check(String call, int code) {
    if (code != 0) {
      throw new HalException(
          Status.INTERNAL, call + " returned " + code + " (" + api.nvrtcGetErrorString(code) + ")");
    }
  }
}
