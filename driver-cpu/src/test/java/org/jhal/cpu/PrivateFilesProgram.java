// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.BundleBuilder;
import org.jhal.Device;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Hal;
import org.jhal.Parameter;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cpu.runtime.Runtimes;

/**
 * Loads the native runtime, then kernels in C++. Prints the modes of the files for it, while they
 * exist: lines of a mode and a name.
 */
public final class PrivateFilesProgram {
  private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

  private PrivateFilesProgram() {}

  /** The first argument is the URI of the device. */
  public static void main(String[] args) throws IOException {
    Path control = Files.createFile(TEMPORARY.resolve("control"));
    print();
    Files.delete(control);
    byte[] runtime = HostCompiler.find().orElseThrow().compileRuntime();
    Runtimes.load(
        () -> {
          print();
          return runtime;
        });
    BundleBuilder bundle =
        ExecutableSource.builder("private")
            .kernel("k", 1, Parameter.inout("x", ElementType.I32))
            .cpp("extern \"C\" __global__ void k(int* x) { x[0] = 7; }\n");
    try (Device device = Hal.openDevice(args[0]);
        Executable loaded = device.loadExecutable(bundle.build())) {
      System.out.println("loaded " + loaded.kernels());
    }
    print();
  }

  /** What is in the folder for temporary files, apart from a folder of the JVM itself. */
  private static void print() {
    try (Stream<Path> files = Files.list(TEMPORARY)) {
      List<Path> ours =
          files.filter(each -> !each.getFileName().toString().startsWith("hsperf")).toList();
      for (Path file : ours) {
        System.out.println(
            PosixFilePermissions.toString(
                    Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS))
                + " "
                + file.getFileName());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
