// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.baselines;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jhal.bench.kernel.Touch;
import org.jhal.bench.measure.NotAvailableException;
import org.jhal.bench.measure.Subject;
import org.jspecify.annotations.Nullable;

/**
 * The baselines that are plain Vulkan in C: the program {@code vulkan/loops.c}, compiled when it is
 * first needed with any C compiler and the header {@code vulkan/vulkan_core.h}.
 *
 * <p>For one thread.
 */
public final class VulkanRaw implements AutoCloseable {
  private static final String SOURCE = "loops.c";
  private static final String KERNEL = "touch.spv";
  private static final String HEADER = "vulkan/vulkan_core.h";

  private final Map<String, String> environment;
  private final RawProgram raw;
  private final String uuid;
  private @Nullable NativeBuild build;

  /**
   * Starts nothing yet.
   *
   * @param environment with the {@code PATH} on which a compiler is looked for, and perhaps {@code
   *     CPATH}, the folders of headers beside the system's
   * @param uuid of the device, as {@link org.jhal.DeviceInfo#uuid} has it
   */
  public VulkanRaw(Map<String, String> environment, String uuid) {
    this.environment = environment;
    this.uuid = uuid;
    this.raw = new RawProgram(this::command, Map.of());
  }

  /**
   * A subject whose sample is one answer of the program: the median, the lower and the upper
   * quartile of steps, in nanoseconds.
   *
   * @param title its name in reports
   * @param name the program's name for the case
   * @param steps how many steps the sample has
   */
  public Subject subject(String title, String name, int steps) {
    return raw.subject(title, name, 0, steps, UnaryOperator.identity());
  }

  private List<String> command() throws Exception {
    if (build == null) {
      build = compile();
    }
    return List.of(
        build.file("loops").toString(),
        build.file(KERNEL).toString(),
        uuid.replace("GPU-", "").replace("-", ""));
  }

  private NativeBuild compile() throws Exception {
    Path compiler = NativeBuild.compiler(environment);
    checkHeader();
    NativeBuild made = NativeBuild.of("vulkan", SOURCE);
    try {
      Files.write(made.file(KERNEL), Touch.file(KERNEL));
      made.run(
          List.of(
              compiler.toString(),
              "-O2",
              "-o",
              made.file("loops").toString(),
              made.file(SOURCE).toString(),
              "-ldl"));
      return made;
    } catch (Exception e) {
      made.close();
      throw e;
    }
  }

  private void checkHeader() throws NotAvailableException {
    List<String> folders = new ArrayList<>(List.of("/usr/include", "/usr/local/include"));
    folders.addAll(List.of(environment.getOrDefault("CPATH", "").split(File.pathSeparator, -1)));
    for (String folder : folders) {
      if (Files.exists(Path.of(folder, HEADER))) {
        return;
      }
    }
    throw new NotAvailableException(
        "it cannot be compiled: no "
            + HEADER
            + " in /usr/include, /usr/local/include and the folders of CPATH; Debian has it in"
            + " libvulkan-dev");
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
