// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.capture;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.driver.DeviceMemory;
import org.jhal.engine.journal.Journal;
import org.jhal.recording.format.ByteWriter;
import org.jhal.recording.format.Digest;
import org.jhal.recording.format.End;
import org.jhal.recording.format.Payload;
import org.jhal.recording.format.Range;
import org.jhal.recording.format.Step;
import org.jspecify.annotations.Nullable;

/** An operation that was recorded, and what is recorded of it when it ends. */
final class OperationEntry implements Journal.Entry {
  /**
   * Memory that work of the program may have written.
   *
   * @param writes how many operations had been issued that may write it, this one included
   */
  private record Touched(DeviceMemory memory, RecordedMemory recorded, Range range, long writes) {}

  private static final int NOT_RECORDED = -1;

  private final RecordingFile file;
  private int number = NOT_RECORDED; // in the recording

  // Filled in until the operation is written.
  private @Nullable HostMemory source; // of an upload, to be read when it ends
  private @Nullable HostMemory target; // of a readback
  private final List<Touched> foreign = new ArrayList<>(0);
  private final List<RecordedMemory.DeviceWrite> deviceWrites = new ArrayList<>(0);

  @GuardedBy("this")
  private boolean hasEnded;

  OperationEntry(RecordingFile file) {
    this.file = file;
  }

  void setNumber(int given) {
    number = given;
  }

  /** An upload reads this, which may still be written when it is issued. */
  void readsLater(HostMemory memory) {
    source = memory;
  }

  /** A readback writes this. */
  void writes(HostMemory memory) {
    target = memory;
  }

  /** Work of the program may write this, which the host can read afterwards. */
  void mayWrite(DeviceMemory memory, RecordedMemory recorded, Range range) {
    foreign.add(new Touched(memory, recorded, range, recorded.writes()));
  }

  /** The device writes memory that the host may write, too. */
  void writes(RecordedMemory.DeviceWrite write) {
    deviceWrites.add(write);
  }

  /** A second thread waits for the first one: once it returns, the host memory may change. */
  @Override
  public synchronized void ending(@Nullable HalException failure) {
    if (hasEnded) {
      return;
    }
    hasEnded = true;
    file.attempt(() -> writeEnd(failure));
    source = null;
    target = null;
    foreign.clear();
    deviceWrites.clear();
  }

  private void writeEnd(@Nullable HalException failure) {
    boolean isWhole = failure == null;
    Payload read = isWhole ? payload(source) : null;
    Payload written = isWhole ? payload(target) : null;
    Digest digest = written == null ? null : written.digest();
    List<Payload> effects = isWhole ? effects() : List.of();
    boolean saysMore = failure != null || read != null || digest != null || !effects.isEmpty();
    if (number != NOT_RECORDED && (saysMore || !deviceWrites.isEmpty())) {
      file.write(
          () -> {
            deviceWrites.forEach(RecordedMemory.DeviceWrite::end);
            if (saysMore) {
              write(failure, read, digest, effects);
            }
          });
    }
  }

  private static @Nullable Payload payload(@Nullable HostMemory memory) {
    try {
      return memory == null ? null : Payload.of(memory.size(), memory::read);
    } catch (HalException e) { // the program has freed it
      return null;
    }
  }

  private void write(
      @Nullable HalException failure,
      @Nullable Payload read,
      @Nullable Digest digest,
      List<Payload> effects)
      throws IOException {
    End end =
        new End(
            failure == null ? null : failure.status(),
            read == null ? -1 : file.payload(read),
            digest,
            hostWrites(effects));
    ByteWriter body = new ByteWriter();
    end.write(number, body);
    file.end(body);
  }

  /** What work of the program has left in memory, by range; nothing if that is not known. */
  private List<Payload> effects() {
    List<Payload> effects = new ArrayList<>();
    for (Touched touched : foreign) {
      long length = touched.range.length();
      if (length > Integer.MAX_VALUE) {
        return List.of();
      }
      try {
        ByteBuffer bytes = touched.memory.map(touched.range.offset(), (int) length).bytes();
        effects.add(Payload.of(length, (at, to) -> copy(bytes, at, to)));
      } catch (HalException e) { // it was freed in stream order
        return List.of();
      }
    }
    return effects;
  }

  /**
   * The same for the file; nothing if an operation that may write one of the ranges is already
   * being issued, since what was read may then be what that one has written. None begins to be
   * issued meanwhile, as it would have to be recorded first.
   */
  private List<Step.HostWrite> hostWrites(List<Payload> effects) throws IOException {
    List<Step.HostWrite> writes = new ArrayList<>();
    for (int i = 0; i < effects.size(); i++) {
      Touched touched = foreign.get(i);
      if (touched.recorded.writes() > touched.writes) {
        return List.of();
      }
      writes.add(new Step.HostWrite(touched.range, file.payload(effects.get(i))));
    }
    return writes;
  }

  private static void copy(ByteBuffer bytes, long at, ByteBuffer to) {
    ByteBuffer part = bytes.duplicate();
    part.limit((int) at + to.remaining()).position((int) at);
    to.put(part);
  }
}
