// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The driver in {@code fake-cuda}, compiled; its device is the host. Skips where gcc is missing.
 */
public final class FakeCuda {
  private static final String NCCL = "libnccl.so.2";

  /** The libraries that were compiled in this process. */
  private static final Map<String, byte[]> COMPILED = new ConcurrentHashMap<>();

  private final Path folder;
  private final Path headers;

  private FakeCuda(Path folder, Path headers) {
    this.folder = folder;
    this.headers = headers;
  }

  /** Skips the test, with the reason, where there is no gcc. */
  public static void assumeGcc() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    assumeTrue(
        Stream.of(path.split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "gcc"))),
        "the raw program is compiled with gcc, which is not on the PATH");
  }

  /** Puts it into {@code folder}; the first call compiles it. */
  public static FakeCuda build(Path folder) throws Exception {
    assumeGcc();
    Path header =
        Path.of(Objects.requireNonNull(FakeCuda.class.getResource("/fake-cuda/cuda.h")).toURI());
    FakeCuda fake = new FakeCuda(folder, Objects.requireNonNull(header.getParent()));
    fake.compile("libcuda.so.1", "libcuda.c", "graphs.c");
    Files.createFile(folder.resolve(NCCL)); // found first, and no library
    return fake;
  }

  /** The baselines on this driver, with warnings as errors. */
  public CudaRaw raw(@Nullable String pciAddress, Map<String, String> environment) {
    return raw(pciAddress, null, environment);
  }

  /** The same with a second device. */
  public CudaRaw raw(
      @Nullable String pciAddress,
      @Nullable String otherPciAddress,
      Map<String, String> environment) {
    Map<String, String> all = new HashMap<>(environment);
    all.put("LD_LIBRARY_PATH", folder.toString());
    return new CudaRaw(this::compiler, all, pciAddress, otherPciAddress);
  }

  private List<String> compiler() {
    return List.of("gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I" + headers);
  }

  /** Puts a fake NCCL beside it; otherwise there is none, even if the machine has one. */
  public FakeCuda withNccl() throws IOException, InterruptedException {
    compile(NCCL, "libnccl.c");
    return this;
  }

  private void compile(String library, String... sources) throws IOException, InterruptedException {
    byte[] compiled = COMPILED.get(library);
    if (compiled != null) {
      Files.write(folder.resolve(library), compiled);
      return;
    }
    Path log = folder.resolve("log");
    List<String> command = new ArrayList<>(compiler());
    command.addAll(List.of("-shared", "-fPIC", "-Wl,-soname," + library));
    command.addAll(List.of("-o", folder.resolve(library).toString()));
    Stream.of(sources).forEach(source -> command.add(headers.resolve(source).toString()));
    command.add("-lpthread");
    Process gcc =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertTrue(
        gcc.waitFor(60, TimeUnit.SECONDS), "gcc is not done with the fake driver after 60 s");
    assertEquals(0, gcc.exitValue(), Files.readString(log));
    COMPILED.put(library, Files.readAllBytes(folder.resolve(library)));
  }
}
