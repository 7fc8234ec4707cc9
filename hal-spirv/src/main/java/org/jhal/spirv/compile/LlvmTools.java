// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.compile;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.cache.KernelCache;
import org.jhal.kernels.cache.UnpackedPrograms;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * Clang and LLVM's compiler for SPIR-V, as programs.
 *
 * @param clang the file of Clang
 * @param llc the file of llc, beside it
 * @param libraries the folder of their libraries; null if the system finds them
 */
public record LlvmTools(Path clang, Path llc, @Nullable Path libraries) {
  /** What a user may name in place of a file, so that nothing is compiled. */
  private static final String NONE = "none";

  /** The version of the jar, whose libraries the programs look for under names with its number. */
  private static final String VERSION = "20.1";

  private static final String JAR = "org.bytedeco:llvm:20.1.7-1.5.12:";

  /** The programs and libraries that are unpacked, and their names in the jar. */
  private static final Map<String, String> FILES =
      Map.of(
          "clang",
          "clang",
          "llc",
          "llc",
          library("libLLVM"),
          "libLLVM.so",
          library("libclang-cpp"),
          "libclang-cpp.so");

  private static String library(String name) {
    return name + ".so." + VERSION;
  }

  /**
   * Finds the programs: those that the user names, else those in the jar of {@code
   * org.bytedeco:llvm} on the class path, else those in the folders of PATH.
   *
   * @param compiler the file of a Clang, beside which there is an llc, or its name in a folder of
   *     PATH; "none" for no compiler; empty to search
   * @throws HalException INVALID_ARGUMENT if the named one cannot be executed or has no llc;
   *     UNIMPLEMENTED if there are none; RESOURCE_EXHAUSTED or PERMISSION_DENIED if the jar cannot
   *     be unpacked
   */
  public static LlvmTools find(String compiler) {
    if (compiler.equals(NONE)) {
      throw new HalException(Status.UNIMPLEMENTED, "the option compiler is none");
    }
    if (!compiler.isEmpty()) {
      return named(compiler);
    }
    LlvmTools packed = packed();
    if (packed != null) {
      return packed;
    }
    for (Path folder : folders()) {
      for (String name : List.of("clang-20", "clang")) {
        LlvmTools found = beside(folder.resolve(name));
        if (found != null && ToolRun.canTranslate(found)) {
          return found;
        }
      }
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        "there is no Clang for Vulkan: add the jar "
            + JAR
            + platform()
            + " to the class path (docs/spirv.md), or name a Clang 20 with an llc for spirv64 by the"
            + " option compiler");
  }

  private static LlvmTools named(String compiler) {
    List<Path> candidates = new ArrayList<>();
    try {
      if (!compiler.contains("/")) {
        folders().forEach(folder -> candidates.add(folder.resolve(compiler)));
      }
      candidates.add(Path.of(compiler).toAbsolutePath());
    } catch (InvalidPathException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "the compiler '" + compiler + "' is not a path: " + e.getMessage(),
          e);
    }
    for (Path candidate : candidates) {
      LlvmTools tools = beside(candidate);
      if (tools != null) {
        return tools;
      }
    }
    throw new HalException(
        Status.INVALID_ARGUMENT,
        "the compiler '%s' is not a Clang that can be executed, with an llc beside it"
            .formatted(compiler));
  }

  /** The folders of PATH. */
  private static List<Path> folders() {
    List<Path> folders = new ArrayList<>();
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      folders.add(Path.of(folder.isEmpty() ? "." : folder).toAbsolutePath());
    }
    return folders;
  }

  private static @Nullable LlvmTools beside(Path clang) {
    Path folder = clang.getParent();
    if (folder == null || !isProgram(clang)) {
      return null;
    }
    for (String name : List.of("llc", "llc-20")) {
      Path llc = folder.resolve(name);
      if (isProgram(llc)) {
        boolean hasLibraries = Files.exists(folder.resolve(library("libLLVM")));
        return new LlvmTools(clang, llc, hasLibraries ? folder : null);
      }
    }
    return null;
  }

  private static boolean isProgram(Path path) {
    return Files.isExecutable(path) && !Files.isDirectory(path);
  }

  private static String platform() {
    return System.getProperty("os.arch", "").equals("aarch64") ? "linux-arm64" : "linux-x86_64";
  }

  private static @Nullable LlvmTools packed() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    String resources = "org/bytedeco/llvm/" + platform() + "/";
    ClassLoader loader = LlvmTools.class.getClassLoader();
    URL clang = loader == null ? null : loader.getResource(resources + "clang");
    if (!system.contains("linux") || clang == null) {
      return null;
    }
    Path cache =
        KernelCache.defaultFolder()
            .orElseThrow(
                () ->
                    new HalException(
                        Status.UNIMPLEMENTED,
                        "there is no folder for the programs of "
                            + clang
                            + ": neither XDG_CACHE_HOME nor the user's home is an absolute path"));
    try {
      return unpacked(loader, resources, clang, cache.resolveSibling("jhal-llvm"));
    } catch (IOException e) {
      throw HostFailures.of(Status.PERMISSION_DENIED, "cannot unpack the programs of " + clang, e);
    }
  }

  /** Unpacks the programs once for all processes, since they have 270 MB. */
  private static LlvmTools unpacked(ClassLoader loader, String resources, URL clang, Path base)
      throws IOException {
    long bytes = clang.openConnection().getContentLengthLong();
    Path folder = base.resolve("llvm-" + VERSION + "-" + bytes);
    UnpackedPrograms.unpack(
        folder,
        FILES.keySet().stream().sorted().toList(),
        file -> {
          InputStream in = loader.getResourceAsStream(resources + FILES.get(file));
          if (in == null) {
            throw new IOException("no " + FILES.get(file) + " beside " + clang);
          }
          return in;
        });
    return new LlvmTools(folder.resolve("clang"), folder.resolve("llc"), folder);
  }

  /** What tells these programs from others, for the key of what they compile. */
  List<String> identity() {
    List<Path> files = new ArrayList<>(List.of(clang, llc));
    List<String> parts = new ArrayList<>();
    if (libraries == null) {
      parts.add(ToolRun.version(this)); // the libraries are the system's, and clang may be a script
    } else {
      files.add(libraries.resolve(library("libLLVM")));
      files.add(libraries.resolve(library("libclang-cpp")));
    }
    for (Path file : files) {
      try {
        Path real = file.toRealPath();
        parts.add(real + " " + Files.size(real) + " " + Files.getLastModifiedTime(real).toMillis());
      } catch (IOException e) {
        parts.add(file + " " + System.nanoTime()); // matches nothing that is kept
      }
    }
    return parts;
  }
}
