// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run.report;

import java.util.EnumSet;
import java.util.Set;
import org.jhal.Hal;
import org.jhal.cts.Controls;
import org.jhal.cts.Need;

/** The names of facts in reports, which describe the context of a run. */
public final class RunFacts {
  /** The fact that lists the requested tests. */
  public static final String TESTS = "run.tests";

  /** The value of {@link #TESTS} if all were requested. */
  public static final String ALL = "all";

  /** The fact that states how often everything was run. */
  public static final String REPEAT = "run.repeat";

  /** The fact with the version of JHAL. */
  public static final String VERSION = "jhal";

  /** The fact with the hash of the suite. */
  static final String SUITE_HASH = "sha256.suite";

  /** The fact that states whether there are {@link Controls}, {@code yes} or {@code no}. */
  public static final String CONTROLS = "controls";

  /** The fact with the {@link #DECLARED} needs that the device or the backend reports as absent. */
  public static final String LACKS = "lacks";

  /** Needs that are absent only if the device or the backend reports that. */
  public static final Set<Need> DECLARED =
      EnumSet.of(Need.THREE_QUEUES, Need.KERNEL_FAILURES, Need.FOREIGN_MEMORY);

  /** The property that sets the length of the chains of some tests. */
  static final String CHAIN_PROPERTY = "jhal.cts.chain";

  /** The property that states whether stderr is a terminal. No fact contains it. */
  public static final String TERMINAL_PROPERTY = "jhal.terminal";

  private RunFacts() {}

  /** The version of JHAL. */
  public static String version() {
    String version = Hal.class.getPackage().getImplementationVersion();
    return version == null ? "unpackaged" : version;
  }
}
