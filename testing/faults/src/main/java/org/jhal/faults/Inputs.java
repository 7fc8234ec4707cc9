// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jhal.faults.Corpus.Buffer;
import org.jhal.faults.Corpus.KernelFault;
import org.jhal.faults.Corpus.Launch;

/**
 * {@code Inputs FOLDER}: writes the inputs of all kernels to files, and prints the arguments of
 * {@code hal run} for both twins, a line for each dispatch. A later dispatch of a pipeline takes
 * the files that the earlier ones write.
 */
public final class Inputs {
  private static final Map<String, String> NUMPY =
      Map.of(
          "u8", "|u1", "u16", "<u2", "i32", "<i4", "u32", "<u4", "i64", "<i8", "f16", "<f2", "f32",
          "<f4", "f64", "<f8");

  private Inputs() {}

  /** See the class. */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (KernelFault fault : Corpus.kernels()) {
      write(fault, folder);
      for (Twin twin : Twin.values()) {
        for (List<String> line : commands(fault, twin, folder)) {
          out.println(String.join(" ", line));
        }
      }
    }
  }

  /** Writes an .npy file for each buffer of a kernel that has values: {@code NAME.BUFFER.npy}. */
  public static void write(KernelFault fault, Path folder) throws IOException {
    Files.createDirectories(folder);
    for (Map.Entry<String, Buffer> entry : fault.buffers().entrySet()) {
      byte[] bytes = entry.getValue().bytes();
      if (bytes != null) {
        Files.write(file(fault, entry.getKey(), folder), npy(entry.getValue(), bytes));
      }
    }
  }

  /** The arguments behind {@code hal run}, for each dispatch. */
  public static List<List<String>> commands(KernelFault fault, Twin twin, Path folder) {
    return fault.run().stream().map(launch -> command(fault, twin, launch, folder)).toList();
  }

  private static List<String> command(KernelFault fault, Twin twin, Launch launch, Path folder) {
    List<Manifest.Parameter> parameters =
        Manifest.of(fault.text(twin, "manifest.json")).kernel(launch.kernel()).buffers();
    List<String> words = new ArrayList<>();
    words.add(
        "testing/faults/kernels/" + fault.name() + "/" + twin.folder() + ":" + launch.kernel());
    launch.constants().forEach((name, value) -> words.add("--arg=" + name + "=" + text(value)));
    for (Manifest.Parameter parameter : parameters) {
      Buffer buffer = Objects.requireNonNull(fault.buffers().get(parameter.name()));
      boolean isFile = buffer.values() != null || launch != fault.run().get(0);
      if (parameter.isRead() && isFile) {
        words.add("--arg=" + parameter.name() + "=" + file(fault, parameter.name(), folder));
      } else if (parameter.isRead()) {
        words.add("--shape=" + parameter.name() + "=" + shape(buffer));
      }
      if (parameter.isWritten()) {
        String suffix = fault.run().size() > 1 ? "" : ".out";
        words.add(
            "--out=" + parameter.name() + "=" + file(fault, parameter.name() + suffix, folder));
      }
    }
    return List.copyOf(words);
  }

  private static String text(Object value) {
    return value instanceof Double number && number == Math.rint(number)
        ? Long.toString(number.longValue())
        : value.toString();
  }

  private static String shape(Buffer buffer) {
    return buffer.shape().stream().map(Object::toString).collect(Collectors.joining(","));
  }

  private static Path file(KernelFault fault, String buffer, Path folder) {
    return folder.resolve(fault.name() + "." + buffer + ".npy");
  }

  private static byte[] npy(Buffer buffer, byte[] content) throws IOException {
    String shape = buffer.shape().stream().map(n -> n + ",").collect(Collectors.joining());
    String header =
        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }"
            .formatted(NUMPY.get(buffer.type()), shape);
    int length = (10 + header.length() + 1 + 63) / 64 * 64 - 10;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0});
    out.write(new byte[] {(byte) length, (byte) (length >> 8)});
    out.write(header.getBytes(StandardCharsets.US_ASCII));
    for (int i = header.length(); i < length - 1; i++) {
      out.write(' ');
    }
    out.write('\n');
    out.write(content);
    return out.toByteArray();
  }
}
