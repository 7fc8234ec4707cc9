// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jhal.recording.format.Payload;
import org.jspecify.annotations.Nullable;

/**
 * What is recorded of a memory: its number, and, while the host may write it at any time, what it
 * had in it when that was looked at last. Used in {@link RecordingFile#write} only.
 */
final class RecordedMemory {
  private static final int PAGE = 4096;

  final int number;
  private final RecordingFile file;
  private final List<Window> windows = new ArrayList<>(0);
  private final List<DeviceWrite> deviceWrites = new ArrayList<>(0);
  private long writes; // operations that may write it, so far

  RecordedMemory(RecordingFile file, int number) {
    this.file = file;
    this.number = number;
  }

  /** A range that the host may write. */
  static final class Window {
    private final RecordedMemory memory;
    private final long offset; // in the memory
    private final ByteBuffer bytes;
    private byte @Nullable [] seen; // null if all of it is to be recorded

    private Window(RecordedMemory memory, long offset, ByteBuffer bytes) {
      this.memory = memory;
      this.offset = offset;
      this.bytes = bytes;
    }

    void close() throws IOException {
      if (memory.windows.contains(this)) {
        memory.look(this);
        memory.windows.remove(this);
      }
    }
  }

  /** A write of the device that may be under way. */
  static final class DeviceWrite {
    private final RecordedMemory memory;
    private final long from;
    private final long to;

    private DeviceWrite(RecordedMemory memory, long from, long to) {
      this.memory = memory;
      this.from = from;
      this.to = to;
    }

    /** The device has written it: the host has not. */
    void end() {
      memory.deviceWrites.remove(this);
      for (Window window : memory.windows) {
        byte[] seen = window.seen;
        if (seen != null) {
          int first = (int) Math.max(0, Math.min(seen.length, from - window.offset));
          int last = (int) Math.max(0, Math.min(seen.length, to - window.offset));
          if (first < last) {
            window.bytes.get(first, seen, first, last - first);
          }
        }
      }
    }
  }

  /** It is freed: what a mapping that is still open writes reaches no device. */
  void free() {
    windows.clear();
  }

  /** An operation that may write it was issued. Returns how many there are. */
  long countWrite() {
    return ++writes;
  }

  /** How many operations that may write it were issued. */
  long writes() {
    return writes;
  }

  /** Whether the host may write it at any time. */
  boolean isOpen() {
    return !windows.isEmpty();
  }

  /**
   * The host may write a range from now on.
   *
   * @param keeps whether its bytes are known: what the device has put there
   */
  Window open(long offset, ByteBuffer bytes, boolean keeps) {
    Window window = new Window(this, offset, bytes.duplicate().clear());
    if (keeps) {
      window.seen = new byte[window.bytes.capacity()];
      window.bytes.get(0, window.seen);
    }
    windows.add(window);
    return window;
  }

  /** The device begins to write a range. */
  DeviceWrite beginWrite(long from, long to) {
    DeviceWrite write = new DeviceWrite(this, from, to);
    deviceWrites.add(write);
    return write;
  }

  /** Records what the host has written since. */
  void look() throws IOException {
    for (Window window : windows) {
      look(window);
    }
  }

  private void look(Window window) throws IOException {
    int size = window.bytes.capacity();
    byte[] seen = window.seen;
    if (seen == null) {
      seen = new byte[size];
      window.bytes.get(0, seen);
      window.seen = seen;
      record(window, seen, 0, size);
      return;
    }
    byte[] page = new byte[PAGE];
    int first = -1; // of a run of pages that differ
    for (int at = 0; at < size; at += PAGE) {
      int length = Math.min(PAGE, size - at);
      window.bytes.get(at, page, 0, length);
      boolean differs =
          !Arrays.equals(page, 0, length, seen, at, at + length)
              && !isBeingWritten(window.offset + at, window.offset + at + length);
      if (differs) {
        System.arraycopy(page, 0, seen, at, length);
        first = first < 0 ? at : first;
      } else if (first >= 0) {
        record(window, seen, first, at);
        first = -1;
      }
    }
    if (first >= 0) {
      record(window, seen, first, size);
    }
  }

  private boolean isBeingWritten(long from, long to) {
    for (DeviceWrite write : deviceWrites) {
      if (write.from < to && from < write.to) {
        return true;
      }
    }
    return false;
  }

  private void record(Window window, byte[] seen, int from, int to) throws IOException {
    if (from < to) {
      file.hostWrite(number, window.offset + from, Payload.of(Arrays.copyOfRange(seen, from, to)));
    }
  }
}
