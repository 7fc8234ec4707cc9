// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.nio.file.Files;
import java.nio.file.Path;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.run.plan.TestName;

/** What a user types to repeat a test that failed. */
final class RepeatCommand {
  private RepeatCommand() {}

  /** The commands that run {@code test} alone. */
  static String of(TestName test, CtsSession session, boolean withSeed) {
    String seed = String.valueOf(session.seed());
    String variants = System.getProperty(CtsBackend.VARIANTS_PROPERTY);
    String command =
        "./hal cts --device '"
            + session.uri()
            + "'"
            + TestName.variantsOption(variants)
            + " --tests "
            + test
            + (withSeed ? " --seed " + seed : "");
    String module = System.getProperty("basedir"); // set by Maven in the JVM of its tests
    if (module == null) {
      return command;
    }
    return command
        + "\n          or: "
        + maven(Path.of(module))
        + " -Dtest='"
        + test.testClass()
        + "#"
        + test.method()
        + "' -D"
        + CtsSession.DEVICE_PROPERTY
        + "='"
        + session.uri()
        + "'"
        + (variants == null ? "" : " -D" + CtsBackend.VARIANTS_PROPERTY + "='" + variants + "'")
        + (withSeed ? " -D" + CtsSession.SEED_PROPERTY + "=" + seed : "");
  }

  /**
   * The Maven command for the project in a folder. It is to be run from the outermost enclosing
   * folder that also has a pom.
   */
  static String maven(Path module) {
    Path root = module;
    for (Path outer = root.getParent(); outer != null; outer = outer.getParent()) {
      if (!Files.exists(outer.resolve("pom.xml"))) {
        break;
      }
      root = outer;
    }
    return root.equals(module)
        ? "mvn verify"
        : "mvn -pl "
            + root.relativize(module)
            + " -am verify -Dsurefire.failIfNoSpecifiedTests=false";
  }
}
