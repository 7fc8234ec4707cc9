// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.compile;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.kernels.cache.KernelCache;
import org.jspecify.annotations.Nullable;

/**
 * Clang and LLVM's compiler for SPIR-V, as programs.
 *
 * @param clang the file of Clang
 * @param llc the file of llc, beside it
 * @param libraries the folder of their libraries; null if the system finds them
 */
public record LlvmTools(Path clang, Path llc, @Nullable Path libraries) {
  private static final List<String> FILES =
      List.of("clang", "llc", "libLLVM.so", "libclang-cpp.so");

  /** The names under which the programs look for these libraries. */
  private static final String VERSION = ".20.1";

  /**
   * Finds the programs: those that the user names, else those in the jar of {@code
   * org.bytedeco:llvm} on the class path, else those in the folders of PATH.
   *
   * @param compiler the path of a Clang, beside which there is an llc; null if none is named
   * @throws HalException NOT_FOUND if a named file does not exist; UNIMPLEMENTED if there are none
   */
  public static LlvmTools find(@Nullable String compiler) {
    if (compiler != null && !compiler.isEmpty()) {
      Path clang = Path.of(compiler).toAbsolutePath();
      LlvmTools named = beside(clang);
      if (named == null) {
        throw new HalException(
            Status.NOT_FOUND, "compiler=" + compiler + ": needs this Clang, and an llc beside it");
      }
      return named;
    }
    LlvmTools packed = packed();
    if (packed != null) {
      return packed;
    }
    String path = System.getenv("PATH");
    for (String folder : path == null ? new String[0] : path.split(java.io.File.pathSeparator)) {
      for (String name : List.of("clang-20", "clang")) {
        LlvmTools found = folder.isEmpty() ? null : beside(Path.of(folder, name));
        if (found != null && ToolRun.canTranslate(found)) {
          return found;
        }
      }
    }
    throw new HalException(
        Status.UNIMPLEMENTED,
        "no Clang for Vulkan: add the jar org.bytedeco:llvm:20.1.7-1.5.12 for this platform to the"
            + " class path, or name a Clang whose llc has the target spirv64 with compiler=");
  }

  private static @Nullable LlvmTools beside(Path clang) {
    Path folder = clang.getParent();
    if (folder == null || !Files.isExecutable(clang)) {
      return null;
    }
    for (String name : List.of("llc", "llc-20")) {
      Path llc = folder.resolve(name);
      if (Files.isExecutable(llc)) {
        boolean hasLibraries = Files.exists(folder.resolve("libLLVM.so" + VERSION));
        return new LlvmTools(clang, llc, hasLibraries ? folder : null);
      }
    }
    return null;
  }

  private static @Nullable LlvmTools packed() {
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    if (!system.contains("linux")) {
      return null;
    }
    String machine = System.getProperty("os.arch", "");
    String platform = machine.equals("aarch64") ? "linux-arm64" : "linux-x86_64";
    String folder = "org/bytedeco/llvm/" + platform + "/";
    ClassLoader loader = LlvmTools.class.getClassLoader();
    URL clang = loader == null ? null : loader.getResource(folder + "clang");
    if (clang == null) {
      return null;
    }
    try {
      return unpacked(loader, folder, clang);
    } catch (IOException e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "cannot unpack the programs of " + clang + ": " + e, e);
    }
  }

  /** Unpacks the programs once for all processes, since they have 270 MB. */
  private static LlvmTools unpacked(ClassLoader loader, String folder, URL clang)
      throws IOException {
    long bytes = clang.openConnection().getContentLengthLong();
    Path base =
        KernelCache.defaultFolder()
            .map(cache -> cache.resolveSibling("jhal-llvm"))
            .orElse(Path.of(System.getProperty("java.io.tmpdir")));
    Path target = base.resolve("llvm" + VERSION + "-" + bytes);
    if (!Files.isDirectory(target)) {
      Files.createDirectories(base);
      Path made = Files.createTempDirectory(base, "llvm");
      for (String file : FILES) {
        try (InputStream in = loader.getResourceAsStream(folder + file)) {
          if (in == null) {
            throw new IOException("no " + file + " beside " + clang);
          }
          Files.copy(in, made.resolve(file));
        }
        made.resolve(file).toFile().setExecutable(true);
      }
      for (String library : List.of("libLLVM.so", "libclang-cpp.so")) {
        Files.createSymbolicLink(made.resolve(library + VERSION), Path.of(library));
      }
      move(made, target);
    }
    return new LlvmTools(target.resolve("clang"), target.resolve("llc"), target);
  }

  private static void move(Path made, Path target) throws IOException {
    try {
      Files.move(made, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException
        | java.nio.file.FileAlreadyExistsException
        | java.nio.file.DirectoryNotEmptyException e) {
      ToolRun.delete(made); // another process was faster
      if (!Files.isDirectory(target)) {
        throw e;
      }
    }
  }

  /** What tells these programs from others, for the key of what they compile. */
  public List<String> identity() {
    List<String> parts = new ArrayList<>();
    for (Path file : List.of(clang, llc)) {
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
