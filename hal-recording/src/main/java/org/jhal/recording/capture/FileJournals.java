// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.capture;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jhal.DeviceInfo;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.engine.journal.Journal;
import org.jhal.engine.journal.Journals;

/**
 * Opens recordings. One file has all devices that this process records in it, also one after the
 * other: it stays open until the process ends.
 *
 * <p>Thread-safe.
 */
public final class FileJournals implements Journals {
  private static final String PROCESS = "%p"; // in a name: the number of the process

  @GuardedBy("OPEN")
  private static final Map<Path, RecordingFile> OPEN = new HashMap<>();

  /** For the service loader. */
  public FileJournals() {}

  @Override
  public Journal open(String file, String device, DeviceInfo info) {
    Path path;
    try {
      path =
          Path.of(file.replace(PROCESS, String.valueOf(ProcessHandle.current().pid())))
              .toAbsolutePath()
              .normalize();
    } catch (InvalidPathException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "'" + file + "' is no name of a file to record into", e);
    }
    RecordingFile found;
    synchronized (OPEN) {
      found = OPEN.get(path);
      if (found == null) {
        found = new RecordingFile(path);
        OPEN.put(path, found);
      }
    }
    found.addUser();
    return new DeviceJournal(found, found.device(device, info.name()), info.computesOnHost());
  }
}
