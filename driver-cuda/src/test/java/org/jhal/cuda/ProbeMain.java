// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jhal.Device;
import org.jhal.DeviceUri;
import org.jhal.Driver;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.HalException;

/** A separate process that prints the driver's verdict, and the result of loading a bundle. */
public final class ProbeMain {
  private ProbeMain() {}

  /** The first argument, if any, is the folder of a bundle, which is loaded. */
  public static void main(String[] args) {
    List<String> changes = watchTemporaryFolder();
    Driver driver = new CudaDriver();
    Driver.Availability verdict = driver.probe();
    print("probe", (verdict.isAvailable() ? "available: " : "unavailable: ") + verdict.detail());
    print("again", driver.probe().equals(verdict) ? "the same" : "other");
    String uri = System.getProperty("probe.uri", "cuda://0");
    try (Device device = driver.open(DeviceUri.parse(uri))) {
      print("open", device.info().name() + ", " + device.info().uuid());
      if (args.length > 0) {
        try (Executable executable = device.loadExecutable(ExecutableSource.of(Path.of(args[0])))) {
          print("load", String.valueOf(executable.kernels()));
        }
      }
    } catch (HalException e) {
      print("failed", e.status() + ": " + e.getMessage());
      if (e.nativeCode() != null) {
        print("code", e.nativeCode().toString());
      }
    }
    print("changes of the temporary folder", changes.toString());
  }

  /** Adds each change of the property that names the folder for temporary files to the list. */
  private static List<String> watchTemporaryFolder() {
    List<String> changes = new CopyOnWriteArrayList<>();
    Properties watched =
        new Properties() {
          @Override
          public synchronized Object setProperty(String key, String value) {
            if (key.equals("java.io.tmpdir")) {
              changes.add(value);
            }
            if (Boolean.getBoolean("probe.modes")
                && key.equals("jhal.jcuda.tmp")
                && !value.equals(getProperty("java.io.tmpdir"))) {
              printModes(Path.of(value));
            }
            return super.setProperty(key, value);
          }
        };
    watched.putAll(System.getProperties());
    System.setProperties(watched);
    return changes;
  }

  /** Prints what the group and others may do with JCuda's library, which is unpacked and unused. */
  private static void printModes(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      Path control = Files.createFile(folder.resolveSibling("control"));
      print("a file as any other", PosixFilePermissions.toString(modes(control)));
      Files.delete(control);
      print("the folder of JCuda", PosixFilePermissions.toString(modes(folder)));
      print("files in it", Long.toString(files.count()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<PosixFilePermission> modes(Path file) throws IOException {
    return Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
  }

  private static void print(String what, String value) {
    System.out.println(what + ": " + value);
  }
}
