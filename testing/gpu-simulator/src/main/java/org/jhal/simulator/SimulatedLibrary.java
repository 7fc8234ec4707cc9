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

/**
 * A native library that is built from sources on the class path, once per content: a later process
 * finds what an earlier one has built.
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
          "grid.c",
          "fiber_switch.c",
          "idle.c",
          "communicator.c",
          "collective_call.c",
          "collective_group.c",
          "meeting.c",
          "part.c",
          "reduce.c",
          "collective_control.c");
  private static final List<String> COLLECTIVES = List.of("nccl.c");

  /** The newest version of {@link #collectives}. */
  public static final int NEWEST_COLLECTIVES = 22803;

  private static final List<String> COMPILER =
      List.of("compiler.h", "gpu_prelude.h", "text.c", "compiler.c", "rewrite.c", "program.c");

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
        COLLECTIVES,
        SimulatedLibrary.class,
        List.of(),
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
      Map<String, byte[]> files = new LinkedHashMap<>();
      HEADERS.forEach(name -> files.put(name, resource(SimulatedLibrary.class, name)));
      core.forEach(name -> files.put(name, resource(SimulatedLibrary.class, name)));
      face.forEach(name -> files.put(name, resource(anchor, name)));
      if (!missing.isEmpty()) {
        String script = "{ local: " + String.join("; ", missing) + "; };\n";
        files.put("missing.map", script.getBytes(StandardCharsets.UTF_8));
      }
      List<String> command = command(soname, files, options, tools);
      Path finished = root.resolve(BuildFolder.hash(command, files));
      if (!Files.exists(finished)) {
        build(root, finished, files, command);
      }
      SimulatedLibrary built = new SimulatedLibrary(Optional.of(finished.resolve(soname)), "");
      BUILT.put(wanted, built);
      return built;
    } catch (IOException e) {
      throw new IllegalStateException("cannot build the simulated " + soname, e);
    }
  }

  private static List<String> command(
      String soname, Map<String, byte[]> files, List<String> options, Toolchain tools) {
    List<String> command = new ArrayList<>();
    command.add(tools.c());
    command.addAll(
        List.of("-std=gnu11", "-D_GNU_SOURCE", "-O2", "-g", "-fPIC", "-fwrapv", "-pthread"));
    command.addAll(List.of("-shared", "-fvisibility=hidden", "-U_FORTIFY_SOURCE", "-Wall"));
    command.add("-DGPUSIM_CXX=\"" + tools.cpp() + "\"");
    command.addAll(options);
    command.add("-Wl,-soname," + soname);
    if (files.containsKey("missing.map")) {
      command.add("-Wl,--version-script=missing.map");
    }
    command.addAll(List.of("-o", soname));
    files.keySet().stream().filter(name -> name.endsWith(".c")).forEach(command::add);
    command.add("-ldl");
    return command;
  }

  private static void build(
      Path root, Path finished, Map<String, byte[]> files, List<String> command)
      throws IOException {
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
