// SPDX-License-Identifier: Apache-2.0
package org.jhal.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The packages of hal-recording: which of them may see which. */
class RecordingPackagesTest {
  private static final String MODULE = "org.jhal.recording";
  private static final String FORMAT = MODULE + ".format";
  private static final String COMPARE = MODULE + ".compare";

  /** For each package the others that it may use; docs/design.md has the same table. */
  private static final Map<String, Set<String>> MAY_SEE =
      Map.of(
          MODULE,
          Set.of(),
          FORMAT,
          Set.of(),
          MODULE + ".capture",
          Set.of(FORMAT),
          COMPARE,
          Set.of(FORMAT),
          MODULE + ".replay",
          Set.of(FORMAT, COMPARE),
          MODULE + ".twin",
          Set.of(FORMAT, COMPARE));

  @Test
  void eachPackageSeesOnlyWhatItMay() {
    assertEquals(
        List.of(), new PackageTable(MAY_SEE).violations(Repository.classes("hal-recording")));
  }
}
