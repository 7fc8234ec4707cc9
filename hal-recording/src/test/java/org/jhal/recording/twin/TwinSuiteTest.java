// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.stream.Stream;
import org.jhal.cpu.compile.HostCompiler;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.report.CtsReport.Entry;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The conformance suite passes on twins, which find no difference in it. Some of its tests read
 * memory that nothing has written. {@code -Djhal.recording.tests=*} runs all of the suite.
 */
class TwinSuiteTest {
  private static final String CONFORMANCE =
      "DriverTest.*,QueueFailure*,BlockingCalls*,FileTransfer*,RandomGraphTest.*,ChainTest.*";

  /** {@code -Djhal.recording.twins=mock,cpu} runs one pair. */
  static Stream<String> pairs() {
    String all = System.getProperty("jhal.recording.twins", "mock,mock;cpu,cpu;mock,cpu");
    return Stream.of(all.split(";"));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void aTwinConforms(String pair) {
    if (pair.contains("cpu")) {
      assumeTrue(HostCompiler.find().isPresent(), HostCompiler.absence());
    }
    List<Entry> entries =
        new CtsRun(new TwinCtsBackend())
            .device("twin://?first=" + pair.replace(",", "&second=") + "&fresh=same")
            .tests(System.getProperty("jhal.recording.tests", CONFORMANCE).split(","))
            .seed(1)
            .run()
            .entries();
    assertTrue(entries.stream().anyMatch(entry -> entry.outcome() == Outcome.PASSED));
    for (Entry entry : entries) {
      assertTrue(
          entry.outcome() == Outcome.PASSED || entry.outcome() == Outcome.UNSUPPORTED,
          entry::toString);
    }
  }
}
