// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording;

import java.util.List;
import org.jhal.mock.cts.MockCtsBackend;

/** A recorded mock as the conformance suite sees it. */
public class RecordCtsBackend extends MockCtsBackend {
  /** For the service loader. */
  public RecordCtsBackend() {}

  @Override
  public String driver() {
    return RecordDriver.NAME;
  }

  /** What the suite expects of the name by which a device was opened. */
  @Override
  public List<Unsupported> unsupported() {
    String reason = "a recorded device has the name and the settings of its own driver";
    return List.of(
        new Unsupported("DriverTest.everyDeviceOpensByIndex", reason),
        new Unsupported("DriverTest.settingsReportTheirOrigin", reason));
  }
}
