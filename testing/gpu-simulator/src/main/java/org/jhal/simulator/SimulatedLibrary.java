// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jhal.kernels.dialect.Dialect;

/**
 * A native library that is built from sources on the class path, once per content: a later process
 * finds what an earlier one has built. Libraries that have sources in common compile them once.
 *
 * <p>It lies in the folder of the system property {@code gpusim.folder}; without one in {@code
 * target/gpu-simulator} where there is a {@code target}, else in a private folder for temporary
 * files.
 *
 * <p>Immutable. Building is safe from any number of threads and processes.
 */
public final class SimulatedLibrary {
  private static final List<String> HEADERS =
      List.of(
          "gpusim.h",
          "gpusim_kernel.h",
          "internal.h",
          "fiber_switch.h",
          "grid.h",
          "report.h",
          "collective.h");
  private static final List<String> DEVICE =
      List.of(
          "text.c",
          "control.c",
          "faults.c",
          "handles.c",
          "context.c",
          "peer.c",
          "memory.c",
          "pool.c",
          "allocate.c",
          "copy.c",
          "stream.c",
          "work.c",
          "event.c",
          "module.c",
          "launch.c",
          "graph.c",
          "crew.c",
          "place.c",
          "grid.c",
          "warp.c",
          "fiber_switch.c",
          "idle.c",
          "communicator.c",
          "collective_call.c",
          "collective_capture.c",
          "collective_group.c",
          "meeting.c",
          "part.c",
          "reduce.c",
          "collective_control.c");

  /** The newest version of {@link #collectives}. */
  public static final int NEWEST_COLLECTIVES = 22803;

  /** What compiled sources are together. */
  private static final String OBJECTS = "objects.o";

  /** What kernels are compiled with; it includes the headers of the dialect. */
  private static final String PRELUDE = "gpu_prelude.h";

  private static final List<String> COMPILER =
      List.of(
          "compiler.h",
          PRELUDE,
          "gpusim_warp.h",
          "text.c",
          "compiler.c",
          "rewrite.c",
          "program.c",
          "instance.c");

  /** The inputs of a library's build. */
  private record Wanted(
      Path root,
      String soname,
      List<String> core,
      Class<?> anchor,
      List<String> face,
      List<String> missing,
      List<String> options,
      String compiler) {}

  /**
   * The libraries that this process has built or found, since tests ask for them while they poll.
   */
  private static final Map<Wanted, SimulatedLibrary> BUILT = new ConcurrentHashMap<>();

  private final Optional<Path> path;
  private final String reason;

  private SimulatedLibrary(Optional<Path> path, String reason) {
    this.path = path;
    this.reason = reason;
  }

  /**
   * Builds a driver library.
   *
   * @param soname the name of the library, by which its users load it, such as {@code libcuda.so.1}
   * @param anchor the class whose file is beside the sources of the face
   * @param face the names of those sources, {@code .c} and {@code .h}
   * @param missing functions of the face that the library shall not have
   */
  public static SimulatedLibrary driver(
      String soname, Class<?> anchor, List<String> face, List<String> missing) {
    return build(soname, DEVICE, anchor, face, missing, Toolchain.find(false));
  }

  /** Builds the library of a run-time compiler, which needs a C++ compiler when it is used. */
  public static SimulatedLibrary compiler(String soname, Class<?> anchor, List<String> face) {
    return compiler(soname, anchor, face, List.of(), List.of());
  }

  /**
   * Builds the library of a run-time compiler of another version.
   *
   * @param missing functions of the face that the library shall not have
   * @param options for the C compiler, such as {@code -DNAME=VALUE}
   */
  public static SimulatedLibrary compiler(
      String soname,
      Class<?> anchor,
      List<String> face,
      List<String> missing,
      List<String> options) {
    return build(soname, COMPILER, anchor, face, missing, options, Toolchain.find(true));
  }

  /** Builds a library from these sources alone, such as one that forwards to another library. */
  public static SimulatedLibrary of(String soname, Class<?> anchor, List<String> sources) {
    return build(soname, List.of(), anchor, sources, List.of(), Toolchain.find(false));
  }

  /**
   * Builds a library of collectives, as NCCL and RCCL are: its functions run over the devices of a
   * driver library, which it finds among those that are loaded.
   *
   * @param soname its name, such as {@code libnccl.so.2}
   * @param driver the name of the driver library
   * @param version as the library writes it: 22803 for 2.28.3; it has the functions of that version
   */
  public static SimulatedLibrary collectives(String soname, String driver, int version) {
    return build(
        soname,
        List.of(),
        SimulatedLibrary.class,
        List.of("nccl.c"),
        List.of(),
        List.of("-DGPUSIM_DRIVER=\"" + driver + "\"", "-DGPUSIM_VERSION=" + version),
        Toolchain.find(false));
  }

  /** Why there is no such library on this machine; empty if there is one. */
  public Optional<String> unavailable() {
    return path.isPresent() ? Optional.empty() : Optional.of(reason);
  }

  /**
   * The library's file, absolute.
   *
   * @throws IllegalStateException if it is {@link #unavailable}
   */
  public Path path() {
    return path.orElseThrow(() -> new IllegalStateException(reason));
  }

  static SimulatedLibrary build(
      String soname,
      List<String> core,
      Class<?> anchor,
      List<String> face,
      List<String> missing,
      Toolchain tools) {
    return build(soname, core, anchor, face, missing, List.of(), tools);
  }

  private static SimulatedLibrary build(
      String soname,
      List<String> core,
      Class<?> anchor,
      List<String> face,
      List<String> missing,
      List<String> options,
      Toolchain tools) {
    if (tools.unavailable().isPresent()) {
      return new SimulatedLibrary(Optional.empty(), tools.unavailable().get());
    }
    try {
      Path root = BuildFolder.root();
      Wanted wanted = new Wanted(root, soname, core, anchor, face, missing, options, tools.c());
      SimulatedLibrary before = BUILT.get(wanted);
      if (before != null && Files.exists(before.path())) {
        return before;
      }
      Path finished = link(wanted, objects(wanted, tools));
      SimulatedLibrary built = new SimulatedLibrary(Optional.of(finished.resolve(soname)), "");
      BUILT.put(wanted, built);
      return built;
    } catch (IOException e) {
      throw new IllegalStateException("cannot build the simulated " + soname, e);
    }
  }

  /** The compiled sources, those of the core apart, as many libraries have the same. */
  private static List<Path> objects(Wanted wanted, Toolchain tools) throws IOException {
    List<Path> objects = new ArrayList<>();
    if (!wanted.core.isEmpty()) {
      Map<String, byte[]> core = resources(SimulatedLibrary.class, wanted.core);
      objects.add(compile(wanted, core, List.of("-DGPUSIM_CXX=\"" + tools.cpp() + "\"")));
    }
    if (!wanted.face.isEmpty()) {
      objects.add(compile(wanted, resources(wanted.anchor, wanted.face), wanted.options));
    }
    return objects;
  }

  private static Path compile(Wanted wanted, Map<String, byte[]> sources, List<String> options)
      throws IOException {
    Map<String, byte[]> files = headers(wanted);
    files.putAll(sources);
    List<String> command = new ArrayList<>();
    command.add(wanted.compiler);
    command.addAll(
        List.of("-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-fPIC", "-fwrapv", "-pthread"));
    command.addAll(List.of("-fvisibility=hidden", "-U_FORTIFY_SOURCE", "-Wall"));
    command.addAll(options);
    command.addAll(List.of("-r", "-nostdlib", "-o", OBJECTS));
    files.keySet().stream().filter(name -> name.endsWith(".c")).forEach(command::add);
    return build(wanted.root, files, command).resolve(OBJECTS);
  }

  /** The folder of the library, which has the headers too: kernels are compiled with some. */
  private static Path link(Wanted wanted, List<Path> objects) throws IOException {
    Map<String, byte[]> files = headers(wanted);
    List<String> command = new ArrayList<>();
    command.addAll(List.of(wanted.compiler, "-shared", "-pthread", "-Wl,-soname," + wanted.soname));
    if (!wanted.missing.isEmpty()) {
      String script = "{ local: " + String.join("; ", wanted.missing) + "; };\n";
      files.put("missing.map", script.getBytes(StandardCharsets.UTF_8));
      command.add("-Wl,--version-script=missing.map");
    }
    command.addAll(List.of("-o", wanted.soname));
    objects.stream().map(Path::toString).forEach(command::add);
    command.add("-ldl");
    return build(wanted.root, files, command);
  }

  /** Runs the command in a folder with these files, unless that was done; returns the folder. */
  private static Path build(Path root, Map<String, byte[]> files, List<String> command)
      throws IOException {
    Path finished = root.resolve(BuildFolder.hash(command, files));
    if (Files.exists(finished)) {
      return finished;
    }
    Path work = Files.createTempDirectory(root, "build");
    try {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Files.write(work.resolve(file.getKey()), file.getValue());
      }
      Toolchain.run(work, command);
      Files.move(work, finished, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      // Another process may have been faster, with the same content.
      if (!Files.exists(finished)) {
        throw e;
      }
    } finally {
      BuildFolder.delete(work);
    }
    return finished;
  }

  private static Map<String, byte[]> headers(Wanted wanted) {
    Map<String, byte[]> files = resources(SimulatedLibrary.class, HEADERS);
    for (String name : wanted.core) {
      if (name.endsWith(".h")) {
        files.put(name, resource(SimulatedLibrary.class, name));
      }
    }
    if (wanted.core.contains(PRELUDE)) {
      for (String name : Dialect.files()) {
        files.put(name, Dialect.text(name).getBytes(StandardCharsets.UTF_8));
      }
    }
    return files;
  }

  private static Map<String, byte[]> resources(Class<?> anchor, List<String> names) {
    Map<String, byte[]> files = new LinkedHashMap<>();
    names.forEach(name -> files.put(name, resource(anchor, name)));
    return files;
  }

  private static byte[] resource(Class<?> anchor, String name) {
    try (InputStream in = anchor.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalArgumentException("no resource " + name + " beside " + anchor);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new IllegalStateException("cannot read " + name, e);
    }
  }
}
