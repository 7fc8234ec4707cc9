package org.jhal.cpu.compile;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.runtime.Resources;
import org.jhal.driver.source.SourceCode;

/**
 * A C++ compiler of this machine, called as a process. Each call has a folder of its own for its
 * files.
 *
 * <p>Thread-safe.
 */
public final class HostCompiler {
  /** In the order in which they are searched for. */
  private static final List<String> NAMES = List.of("c++", "g++", "clang++");

  private static final long MINUTES = 5; // that a call may take

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
          "-fno-gnu-unique", // the loader would keep a library that has such names
          "-fstack-clash-protection", // a large frame must not step over the guard below the stack
          "-fno-math-errno",
          "-fno-trapping-math",
          "-ffp-contract=off",
          "-w");

  private final Path path;

  private HostCompiler(Path path) {
    this.path = path;
  }

  /** The compiler at a path. */
  public static HostCompiler at(Path path) {
    return new HostCompiler(path);
  }

  /** The first one on the path of executables. Looks at files, and runs nothing. */
  public static Optional<HostCompiler> find() {
    String folders = System.getenv().getOrDefault("PATH", "");
    for (String name : NAMES) {
      for (String folder : folders.split(File.pathSeparator)) {
        Path candidate = Path.of(folder.isEmpty() ? "." : folder, name);
        if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
          return Optional.of(new HostCompiler(candidate.toAbsolutePath()));
        }
      }
    }
    return Optional.empty();
  }

  /** Which file it is, for the key of what it compiles. */
  public String identity() {
    try {
      Path real = path.toRealPath();
      return real + " " + Files.size(real) + " " + Files.getLastModifiedTime(real).toMillis();
    } catch (IOException e) {
      return path.toString();
    }
  }

  /** The flags with which it compiles kernels, for the same key. */
  public static String flags() {
    return String.join(" ", FLAGS);
  }

  /** Preprocesses a source. */
  String preprocess(SourceCode source, List<String> options, String what) {
    return inFolder(
        folder -> {
          Files.writeString(
              folder.resolve("source.cpp"), "#line 1 \"" + source.name() + "\"\n" + source.text());
          Path quoted = Files.createDirectory(folder.resolve("quoted"));
          for (Map.Entry<String, String> header : source.headers().entrySet()) {
            Path file = quoted.resolve(header.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, header.getValue());
          }
          List<String> call = call(folder, "-E", "-x", "c++", "-std=c++17", "-nostdinc");
          call.addAll(List.of("-iquote", quoted.toString()));
          call.addAll(List.of("-isystem", stubs(folder).toString()));
          call.addAll(List.of("-include", folder.resolve("hal_macros.h").toString()));
          call.addAll(options);
          call.addAll(List.of("-o", folder.resolve("source.ii").toString()));
          call.add(folder.resolve("source.cpp").toString());
          try {
            run(folder, call, what);
          } catch (HalException e) {
            throw new HalException(e.status(), source.withHint(String.valueOf(e.getMessage())));
          }
          return Files.readString(folder.resolve("source.ii"));
        });
  }

  /** Compiles translated kernels to a library. */
  byte[] compile(String translated, List<String> options, String what) {
    return inFolder(
        folder -> {
          Files.writeString(folder.resolve("kernels.cpp"), translated);
          List<String> call = call(folder, "-x", "c++");
          call.addAll(FLAGS);
          call.add("-march=native");
          call.addAll(options);
          call.addAll(List.of("-I", folder.toString()));
          call.addAll(List.of("-o", folder.resolve("kernels.so").toString()));
          call.addAll(List.of(folder.resolve("kernels.cpp").toString(), "-lm"));
          run(folder, call, what);
          return Files.readAllBytes(folder.resolve("kernels.so"));
        });
  }

  /** Compiles the runtime to a library. */
  public byte[] compileRuntime() {
    return inFolder(
        folder -> {
          List<Path> sources = Resources.writeRuntime(folder);
          List<String> call = call(folder, "-O2", "-fPIC", "-shared");
          call.addAll(List.of("-fvisibility=hidden", "-pthread", "-w", "-I", folder.toString()));
          call.addAll(List.of("-o", folder.resolve("runtime.so").toString()));
          // The language is said before each file: g++ takes those behind the first for C++.
          sources.forEach(file -> call.addAll(List.of("-x", "c", file.toString())));
          call.addAll(List.of("-ldl", "-lm"));
          run(folder, call, "the runtime of the CPU device");
          return Files.readAllBytes(folder.resolve("runtime.so"));
        });
  }

  private List<String> call(Path folder, String... first) throws IOException {
    Resources.writeHeaders(folder);
    List<String> call = new ArrayList<>();
    call.add(path.toString());
    call.addAll(List.of(first));
    return call;
  }

  /** Headers that sources include and whose content is there anyway. */
  private static Path stubs(Path folder) throws IOException {
    Path stubs = folder.resolve("include");
    for (String name :
        List.of(
            "cooperative_groups.h",
            "cooperative_groups/reduce.h",
            "cooperative_groups/scan.h",
            "cuda_fp16.h",
            "cuda_bf16.h",
            "cuda_runtime.h",
            "hip/hip_runtime.h",
            "hip/hip_fp16.h",
            "hip/hip_bf16.h",
            "hip/hip_cooperative_groups.h",
            "math.h",
            "cmath",
            "stdint.h",
            "cstdint",
            "float.h",
            "cfloat",
            "limits.h",
            "climits",
            "assert.h",
            "cassert",
            "stdio.h",
            "cstdio",
            "stddef.h",
            "cstddef",
            "string.h",
            "cstring")) {
      Path file = stubs.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, "");
    }
    return stubs;
  }

  private static void run(Path folder, List<String> call, String what)
      throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(call).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    process.getOutputStream().close();
    if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new HalException(
          Status.DEADLINE_EXCEEDED,
          "compiling " + what + " took more than " + MINUTES + " minutes");
    }
    if (process.exitValue() != 0) {
      String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "cannot compile " + what + " with " + call.get(0) + ":\n" + text.strip());
    }
  }

  private interface InFolder<T> {
    T run(Path folder) throws IOException, InterruptedException;
  }

  private static <T> T inFolder(InFolder<T> body) {
    try {
      Path folder = Files.createTempDirectory("jhal-cpu");
      try {
        return body.run(folder);
      } finally {
        delete(folder);
      }
    } catch (IOException e) {
      throw new HalException(Status.INTERNAL, "cannot compile: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HalException(Status.CANCELLED, "compiling was interrupted");
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      return; // the system's cleaner will do it
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
