// SPDX-License-Identifier: Apache-2.0
package org.jhal.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jhal.ExecutableSource;
import org.jhal.kernels.bundle.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Manifests of bundles and of overlays, and the archives that hold them. */
class BundleFuzzTest {
  static final String MANIFEST =
      """
      {"version": 1, "name": "saxpy", "kernels": [
        {"name": "saxpy", "workgroupSize": [256, 1], "dynamicSharedMemory": 64, "parameters": [
          {"name": "n", "kind": "constant", "type": "u32"},
          {"name": "x", "kind": "buffer", "type": "f32", "direction": "in"},
          {"name": "p", "kind": "struct", "alignment": 8, "fields": [
            {"name": "a", "type": "f64"}, {"name": "b", "type": "i8", "count": 3}]}],
         "run": {"groups": ["n"]}},
        {"name": "old", "workgroupSize": [1], "constants": [{"name": "n", "type": "u32"}],
         "bindings": [{"name": "y", "type": "f32", "direction": "inout"}]}],
       "variants": [
        {"format": "gpu-c++", "file": "saxpy.cu", "entries": {"saxpy": "ns::f<float, 256>"},
         "options": {"nvrtc": ["-O3"]}, "attributes": {"k": "v\\u00e9"}, "architecture": "sm_90"},
        {"format": "java", "class": "a.Saxpy", "path": "classes"}]}
      """;
  private static final String OVERLAY =
      """
      {"version": 1, "bundle": "saxpy",
       "variants": [{"format": "cuda-ptx", "file": "a/saxpy.ptx", "options": ["-O3"]}]}
      """;
  static final List<String> JSON =
      List.of(
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "\"",
          "{\"a\":",
          "null",
          "true",
          "1e999",
          "-0",
          "0.5",
          "\\u0000",
          "\\ud800",
          "//",
          "/*",
          "\"\"",
          "\ufeff",
          "\"../x\"",
          "\"/x\"",
          "NaN",
          "\"fields\": [",
          "\"struct\"",
          "\"count\": 2147483647",
          "::",
          "<",
          ">");

  @TempDir private Path folder;

  @Test
  void manifests() throws Exception {
    new Fuzz("manifest", Fuzz.texts(MANIFEST), JSON)
        .alsoFrom(Fuzz.texts(OVERLAY))
        .run(
            2_000,
            input -> {
              Files.write(folder.resolve(Manifest.FILE), input);
              Manifest unused = Manifest.read(ExecutableSource.of(folder));
            });
  }

  @Test
  void overlays() throws Exception {
    Path overlay = Files.createDirectory(folder.resolve("overlay"));
    Files.writeString(folder.resolve(Manifest.FILE), MANIFEST);
    ExecutableSource bundle = ExecutableSource.of(folder);
    Manifest below = Manifest.read(bundle);
    new Fuzz("overlay", Fuzz.texts(OVERLAY), JSON)
        .alsoFrom(Fuzz.texts(MANIFEST.replace("\"name\"", "\"bundle\"")))
        .run(
            2_000,
            input -> {
              Files.write(overlay.resolve(Manifest.FILE), input);
              for (ExecutableSource above : bundle.withVariants(overlay).overlays()) {
                var unused = below.overlay(above);
              }
            });
  }

  /** Paths that a manifest may name, which must not lead out of the bundle. */
  @Test
  void paths() throws Exception {
    Path bundle = Files.createDirectory(folder.resolve("bundle"));
    Files.createDirectory(bundle.resolve("a"));
    Files.writeString(bundle.resolve("a/b"), "inside");
    Files.writeString(folder.resolve("b"), "secret");
    Set<String> allowed = Set.of("inside");
    ExecutableSource source = ExecutableSource.of(bundle);
    new Fuzz("path", Fuzz.texts("a/b"), List.of("..", "/", "\\", ".", ":", "\0", "%2e", "~"))
        .alsoFrom(Fuzz.texts("a/../../b", "a"))
        .run(
            4_000,
            input -> {
              byte[] read = source.read(new String(input, StandardCharsets.UTF_8), 100);
              if (read != null && !allowed.contains(new String(read, StandardCharsets.UTF_8))) {
                throw new AssertionError("reads a file outside the bundle");
              }
            });
  }

  @Test
  void archives() throws Exception {
    Path file = folder.resolve("bundle.zip");
    new Fuzz(
            "zip",
            List.of(zip(Manifest.FILE, MANIFEST), zip("only/" + Manifest.FILE, MANIFEST)),
            List.of("PK\3\4", "PK\1\2", "PK\5\6", "PK\6\6", "../", "/", "manifest.json"))
        .alsoFrom(List.of(zip(Manifest.FILE, " ".repeat(2 << 20))))
        .run(
            1_500,
            input -> {
              Files.write(file, input);
              Manifest unused = Manifest.read(ExecutableSource.of(file));
            });
  }

  private static byte[] zip(String name, String content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(bytes)) {
      for (boolean stored : new boolean[] {false, true}) {
        byte[] data = (stored ? "x" : content).getBytes(StandardCharsets.UTF_8);
        ZipEntry entry = new ZipEntry(stored ? name + ".cu" : name);
        if (stored) {
          CRC32 checksum = new CRC32();
          checksum.update(data);
          entry.setMethod(ZipEntry.STORED);
          entry.setSize(data.length);
          entry.setCrc(checksum.getValue());
        }
        out.putNextEntry(entry);
        out.write(data);
        out.closeEntry();
      }
    }
    return bytes.toByteArray();
  }
}
