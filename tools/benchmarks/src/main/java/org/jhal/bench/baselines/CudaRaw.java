// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * The baselines that are raw calls in C: the program {@code raw}, compiled when it is first needed,
 * which runs beside this JVM and takes one sample after the other on request. Between requests it
 * waits for its input, and its device is idle.
 *
 * <p>For one thread.
 */
public final class CudaRaw implements AutoCloseable {
  /** The name of these baselines in reports. */
  public static final String NAME = "C";

  private static final String PROGRAM = "raw";
  private static final String KERNEL = "touch.ptx";
  private static final List<String> SOURCES =
      List.of(
          "chains.c",
          "collectives.c",
          "driver.c",
          "graphs.c",
          "libraries.c",
          "pageable.c",
          "peers.c",
          "raw.c");
  private static final List<String> HEADERS = List.of("driver.h", "graphs.h", "peers.h", "raw.h");

  /** Finds the compiler. */
  public interface Toolchain {
    /** The compiler and its options. */
    List<String> compiler() throws NotAvailableException;
  }

  private final Toolchain toolchain;
  private final RawProgram raw;
  private final @Nullable String pciAddress;
  private final @Nullable String otherPciAddress;
  private @Nullable NativeBuild build;

  /**
   * Starts nothing yet.
   *
   * @param toolchain compiles the program
   * @param environment variables for the program, in addition to those of this JVM
   * @param pciAddress of the device, or null for the first
   */
  public CudaRaw(
      Toolchain toolchain, Map<String, String> environment, @Nullable String pciAddress) {
    this(toolchain, environment, pciAddress, null);
  }

  /**
   * Starts nothing yet.
   *
   * @param otherPciAddress of the second device, for cases that use two; null if there is none
   */
  public CudaRaw(
      Toolchain toolchain,
      Map<String, String> environment,
      @Nullable String pciAddress,
      @Nullable String otherPciAddress) {
    this.toolchain = toolchain;
    this.raw = new RawProgram(this::command, environment);
    this.pciAddress = pciAddress;
    this.otherPciAddress = otherPciAddress;
  }

  /** {@link #subject(String, String, long, int, UnaryOperator)} that is called {@link #NAME}. */
  public Subject subject(String name, long size, int steps, UnaryOperator<double[]> convert) {
    return subject(NAME, name, size, steps, convert);
  }

  /**
   * A subject whose sample is one answer of the program.
   *
   * @param title its name in reports
   * @param name the program's name for the case
   * @param size of a step: how many bytes are transferred or allocated, or how many kernels run; 0
   *     where it means nothing
   * @param steps how many steps the sample has
   * @param convert makes the sample from the median, the lower and the upper quartile, in
   *     nanoseconds
   */
  public Subject subject(
      String title, String name, long size, int steps, UnaryOperator<double[]> convert) {
    return raw.subject(title, name, size, steps, convert);
  }

  private List<String> command() throws Exception {
    Path program = program();
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.add(program.resolveSibling(KERNEL).toString());
    command.add(Objects.requireNonNullElse(pciAddress, "-"));
    if (otherPciAddress != null) {
      command.add(otherPciAddress);
    }
    return command;
  }

  /** The compiled program, with the kernel beside it. */
  private Path program() throws Exception {
    if (build != null) {
      return build.file(PROGRAM);
    }
    List<String> compiler = toolchain.compiler();
    NativeBuild made = NativeBuild.of("cuda", names());
    try {
      Files.write(made.file(KERNEL), Touch.file(KERNEL));
      made.run(
          CudaCompiler.command(
              compiler, SOURCES.stream().map(made::file).toList(), made.file(PROGRAM)));
    } catch (Exception e) {
      made.close();
      throw e;
    }
    build = made;
    return made.file(PROGRAM);
  }

  private static String[] names() {
    return Stream.concat(SOURCES.stream(), HEADERS.stream()).toArray(String[]::new);
  }

  /** Ends the program and removes it. */
  @Override
  public void close() throws IOException, InterruptedException {
    raw.close();
    if (build != null) {
      build.close();
      build = null;
    }
  }
}
