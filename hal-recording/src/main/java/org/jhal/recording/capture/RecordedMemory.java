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
 *
 * <p>What differs from that was written by the host, unless the device may be writing it: such a
 * range is left out until the operation has ended, and then taken for what the device has written.
 */
final class RecordedMemory {
  private static final int PAGE = 4096; // what is compared, and recorded, at once

  final int number;
  final boolean isForHost; // whether the host may access it
  private final RecordingFile file;
  private final List<Window> windows = new ArrayList<>(0);
  private final List<DeviceWrite> deviceWrites = new ArrayList<>(0); // under way; if isForHost
  private long writes; // operations that may write it, so far

  RecordedMemory(RecordingFile file, int number, boolean isForHost) {
    this.file = file;
    this.number = number;
    this.isForHost = isForHost;
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
      if (memory.windows.remove(this)) { // else the memory is freed
        memory.look(this, 0, bytes.capacity());
        memory.file.removeWindow(bytes);
      }
    }

    /** A place of the memory in this window, or the nearest one. */
    private int clamp(long at) {
      return (int) Math.max(0, Math.min(bytes.capacity(), at - offset));
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
        int first = window.clamp(from);
        int last = window.clamp(to);
        if (seen != null && first < last) {
          window.bytes.get(first, seen, first, last - first);
        }
      }
    }
  }

  /** It is freed: what a mapping that is still open writes reaches no device. */
  void free() {
    windows.forEach(window -> file.removeWindow(window.bytes));
    windows.clear();
  }

  /** An operation that may write it is about to be issued. Returns how many there are. */
  long countWrite() {
    return ++writes;
  }

  /** How many operations that may write it were issued, or are about to be. */
  long writes() {
    return writes;
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
    file.addWindow(window.bytes);
    return window;
  }

  /** The device is about to write a range. */
  DeviceWrite beginWrite(long from, long to) {
    DeviceWrite write = new DeviceWrite(this, from, to);
    deviceWrites.add(write);
    return write;
  }

  /** Records what the host has written to a range since. */
  void look(long from, long to) throws IOException {
    for (Window window : windows) {
      look(window, window.clamp(from), window.clamp(to));
    }
  }

  private void look(Window window, int from, int to) throws IOException {
    if (from >= to) {
      return;
    }
    byte[] seen = window.seen;
    if (seen == null) {
      seen = new byte[window.bytes.capacity()];
      window.bytes.get(0, seen);
      window.seen = seen;
      record(window, seen, 0, seen.length);
      return;
    }
    byte[] page = new byte[PAGE];
    int first = from; // what differs begins here, and ends at `at`
    for (int at = from; at < to; ) {
      int length = untilDeviceWrite(window, at, Math.min(to, at + PAGE)) - at;
      window.bytes.get(at, page, 0, length);
      boolean isSame = Arrays.equals(page, 0, length, seen, at, at + length);
      if (isSame || length == 0) {
        record(window, seen, first, at);
        first = at + length;
      } else {
        System.arraycopy(page, 0, seen, at, length);
      }
      at += length;
      if (length == 0) { // the device may be writing here
        at = first = behindDeviceWrite(window, at, to);
      }
    }
    record(window, seen, first, to);
  }

  /** The first place that the device may be writing, or {@code to}. */
  private int untilDeviceWrite(Window window, int from, int to) {
    int first = to;
    for (DeviceWrite write : deviceWrites) {
      if (window.clamp(write.to) > from) {
        first = Math.min(first, Math.max(from, window.clamp(write.from)));
      }
    }
    return first;
  }

  /** The end of what the device may be writing at a place, but at most {@code to}. */
  private int behindDeviceWrite(Window window, int at, int to) {
    int last = at;
    for (DeviceWrite write : deviceWrites) {
      if (window.clamp(write.from) <= at) {
        last = Math.max(last, window.clamp(write.to));
      }
    }
    return Math.min(last, to);
  }

  private void record(Window window, byte[] seen, int from, int to) throws IOException {
    if (from < to) {
      file.hostWrite(number, window.offset + from, Payload.of(Arrays.copyOfRange(seen, from, to)));
    }
  }
}
