// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jhal.faults.Corpus.Buffer;
import org.jhal.faults.Corpus.KernelFault;
import org.jhal.faults.Corpus.Launch;
import org.jhal.kernel.Float16;

/**
 * {@code SanitizerRuns FOLDER}: writes what {@code sanitizer/host.cu} needs to run the kernels as a
 * driver would: for each twin {@code NAME.TWIN.run} and the source {@code
 * sources/NAME.TWIN/FILE.cu}, and for each buffer that has values {@code NAME.BUFFER.bin}.
 */
public final class SanitizerRuns {
  private SanitizerRuns() {}

  /** See the class. */
  public static void main(String[] args) throws IOException {
    for (KernelFault fault : Corpus.kernels()) {
      write(fault, Path.of(args[0]));
    }
  }

  /** Writes the files of one kernel. */
  public static void write(KernelFault fault, Path folder) throws IOException {
    for (Map.Entry<String, Buffer> entry : fault.buffers().entrySet()) {
      byte[] bytes = entry.getValue().bytes();
      if (bytes != null) {
        Files.createDirectories(folder);
        Files.write(folder.resolve(file(fault, entry.getKey())), bytes);
      }
    }
    for (Twin twin : Twin.values()) {
      String name = fault.name() + "." + twin.folder();
      Manifest.Variant variant = Manifest.of(fault.text(twin, "manifest.json")).variants().get(0);
      Path sources = Files.createDirectories(folder.resolve("sources").resolve(name));
      Files.writeString(sources.resolve(variant.file()), source(fault, twin, variant));
      Files.write(folder.resolve(name + ".run"), run(fault, twin));
    }
  }

  /** The source, behind which the instances of templates are used so that there is code of them. */
  private static String source(KernelFault fault, Twin twin, Manifest.Variant variant) {
    StringBuilder text = new StringBuilder(fault.text(twin, variant.file()));
    if (variant.entries() != null) {
      variant
          .entries()
          .forEach(
              (name, instance) ->
                  text.append("const void* use_of_")
                      .append(name)
                      .append("() { return (const void*)")
                      .append(instance)
                      .append("; }\n"));
    }
    return text.toString();
  }

  /**
   * The lines of a {@code .run}. Both twins read back what the manifest of the sound one declares
   * as written, except buffers that lie between two kernels: they may have parts that nobody uses.
   */
  static List<String> run(KernelFault fault, Twin twin) {
    Manifest manifest = Manifest.of(fault.text(twin, "manifest.json"));
    Manifest sound = Manifest.of(fault.text(Twin.SOUND, "manifest.json"));
    List<String> lines = new ArrayList<>();
    fault
        .buffers()
        .forEach(
            (name, buffer) ->
                lines.add(
                    "buffer "
                        + name
                        + " "
                        + buffer.length() * buffer.element().bytes()
                        + (buffer.values() == null ? "" : " " + file(fault, name))));
    for (Launch launch : fault.run()) {
      Manifest.Kernel kernel = manifest.kernel(launch.kernel());
      lines.add(
          "kernel %s %s %s %s"
              .formatted(
                  kernel.name(),
                  sizes(launch.groups()),
                  sizes(kernel.workgroupSize()),
                  kernel.dynamicSharedMemory()));
      for (Manifest.Parameter parameter : kernel.parameters()) {
        lines.add(
            parameter.isBuffer()
                ? "memory " + parameter.name()
                : "bytes " + HexFormat.of().formatHex(constant(parameter, launch)));
      }
    }
    for (Launch launch : fault.run()) {
      for (Manifest.Parameter parameter : sound.kernel(launch.kernel()).buffers()) {
        Buffer buffer = Objects.requireNonNull(fault.buffers().get(parameter.name()));
        if (parameter.isWritten() && (!parameter.isRead() || buffer.values() != null)) {
          lines.add("read " + parameter.name());
        }
      }
    }
    return lines;
  }

  private static String sizes(List<Integer> sizes) {
    return "%s %s %s"
        .formatted(
            sizes.get(0), sizes.size() > 1 ? sizes.get(1) : 1, sizes.size() > 2 ? sizes.get(2) : 1);
  }

  private static byte[] constant(Manifest.Parameter parameter, Launch launch) {
    Object value = Objects.requireNonNull(launch.constants().get(parameter.name()));
    String[] numbers = value.toString().split(",");
    ByteBuffer bytes = ByteBuffer.allocate(8 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
    for (String text : numbers) {
      double number = Double.parseDouble(text);
      switch (parameter.type() == null ? "i32" : parameter.type()) {
        case "i32", "u32" -> bytes.putInt((int) (long) number);
        case "f16" -> bytes.putShort(Float16.of(number));
        case "f32" -> bytes.putFloat((float) number);
        default -> throw new IllegalArgumentException(parameter.toString());
      }
    }
    byte[] used = new byte[bytes.position()];
    bytes.flip().get(used);
    return used;
  }

  private static String file(KernelFault fault, String buffer) {
    return fault.name() + "." + buffer + ".bin";
  }
}
