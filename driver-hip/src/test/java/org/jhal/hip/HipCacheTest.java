// SPDX-License-Identifier: Apache-2.0
package org.jhal.hip;

import java.util.Map;
import org.jhal.simulator.tests.CachedKernels;
import org.junit.jupiter.api.Test;

/** The cache of compiled kernels with HIP. */
class HipCacheTest extends CachedKernels {
  /** HIPRTC also takes options from the environment. */
  @Test
  void variablesOfTheCompilerArePartOfTheKey() throws Exception {
    Map<String, String> variables = Map.of("HIPRTC_COMPILE_OPTIONS_APPEND", "-DA=1");
    assertProbe(true, variables, compiler(), 1);
    assertProbe(false, variables, compiler(), 1);
    assertProbe(true, Map.of(), compiler(), 1);
    assertProbe(false, Map.of("HIP_VISIBLE_DEVICES", "0"), compiler(), 1);
  }
}
