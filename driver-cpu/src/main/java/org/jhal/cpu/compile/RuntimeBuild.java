// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;
import java.util.stream.Stream;
import org.jhal.cpu.runtime.PrebuiltRuntime;
import org.jhal.cpu.runtime.Resources;

/**
 * A step of this driver's build. Compiles the runtime for each kind of processor that there is a
 * compiler for, so that the jar works on machines that have none. Also writes the digest of the
 * classes that decide what a kernel is compiled to, see {@link Resources#translator}.
 */
public final class RuntimeBuild {
  private RuntimeBuild() {}

  /**
   * Writes the libraries and the digest.
   *
   * @param arguments the folder of the class files
   */
  public static void main(String[] arguments) throws Exception {
    Path classes = Path.of(arguments[0], "org/jhal/cpu");
    Files.writeString(
        classes.resolve("translate/" + Resources.DIGEST),
        digest(classes.resolve("translate"), classes.resolve("compile")));
    Path folder = classes.resolve("runtime");
    for (String kind : new String[] {"x86_64", "aarch64"}) {
      Path file = folder.resolve(PrebuiltRuntime.fileName(kind));
      Optional<HostCompiler> compiler = HostCompiler.findFor(kind);
      if (compiler.isPresent()) {
        Files.write(file, compiler.get().compileRuntime());
      } else {
        Files.deleteIfExists(file);
        System.out.println("no compiler for " + kind + ": the jar will have no runtime for it");
      }
    }
  }

  private static String digest(Path... folders) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (Path folder : folders) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.filter(one -> one.toString().endsWith(".class")).sorted().toList()) {
          digest.update(Files.readAllBytes(file));
        }
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
