package org.jhal.cpu.compile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jhal.cpu.runtime.PrebuiltRuntime;

/**
 * A step of this driver's build: compiles the runtime for each kind of processor that there is a
 * compiler for, so that the jar works on machines that have none.
 */
public final class RuntimeBuild {
  private RuntimeBuild() {}

  /**
   * Writes the libraries.
   *
   * @param arguments the folder of the class files
   */
  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0], "org/jhal/cpu/runtime");
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
}
