// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.journal;

import org.jhal.DeviceInfo;

/**
 * The module that writes recordings, which provides this service; see {@link JournalModule}.
 *
 * <p>Thread-safe.
 */
public interface Journals {
  /**
   * Begins to record a device. Several devices of a process may be recorded in one file.
   *
   * @param file the path of the recording
   * @param device the name of the device
   * @throws org.jhal.HalException PERMISSION_DENIED, UNAVAILABLE or DATA_LOSS if the file cannot be
   *     written
   */
  Journal open(String file, String device, DeviceInfo info);
}
