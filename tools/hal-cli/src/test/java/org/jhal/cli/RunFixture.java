// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jhal.ElementType;
import org.jhal.cli.data.DataFiles;
import org.jhal.cli.data.DataSink;
import org.jhal.cli.data.DataSource;
import org.jhal.cli.data.Shape;
import org.junit.jupiter.api.io.TempDir;

/** The fixture of tests of {@code hal run}: a folder, bundles in it, and files for them. */
abstract class RunFixture {
  @TempDir Path folder;

  static Outcome run(Path bundle, String... options) {
    List<String> args = new ArrayList<>(List.of("run", bundle.toString(), "--device", "mock"));
    args.addAll(List.of(options));
    return hal(args.toArray(new String[0]));
  }

  static String constant(String name, String type) {
    return "{'name': '" + name + "', 'kind': 'constant', 'type': '" + type + "'}";
  }

  static String buffer(String name, String type, String direction) {
    return "{'name': '"
        + name
        + "', 'kind': 'buffer', 'type': '"
        + type
        + "', 'direction': '"
        + direction
        + "'}";
  }

  static String kernel(String name, String parameters, String hints) {
    return "{'name': '"
        + name
        + "', 'parameters': ["
        + parameters
        + "], 'workgroupSize': [64], 'run': {"
        + hints
        + "}}";
  }

  /** A bundle of {@link TestKernels}. */
  Path bundle(String... kernels) throws IOException {
    Path bundle = Files.createTempDirectory(folder, "bundle");
    String manifest =
        "{'version': 1, 'name': 'test', 'kernels': ["
            + String.join(", ", kernels)
            + "], 'variants': [{'format': 'java', 'class': '"
            + TestKernels.class.getName()
            + "'}]}";
    Files.writeString(bundle.resolve("manifest.json"), manifest.replace('\'', '"'));
    return bundle;
  }

  static void zip(Path archive, String entry, String content) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(archive))) {
      out.putNextEntry(new ZipEntry(entry));
      out.write(content.getBytes(StandardCharsets.UTF_8));
    }
  }

  static byte[] random(long size, long seed) {
    byte[] bytes = new byte[(int) size];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  Path array(String name, ElementType type, Shape shape, byte[] content) throws IOException {
    Path file = folder.resolve(name);
    try (DataSink sink = DataFiles.create(file, type, shape)) {
      sink.write(ByteBuffer.wrap(content));
      sink.commit();
    }
    return file;
  }

  static byte[] read(Path file) throws IOException {
    try (DataSource source = DataFiles.open(file)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) source.bytes());
      source.read(0, bytes);
      return bytes.array();
    }
  }

  List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.toList();
    }
  }
}
