// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.spi.HostFailures;
import org.jspecify.annotations.Nullable;

/**
 * A recording that was read, up to its end or to where it is cut or damaged. Payloads are read when
 * they are wanted.
 *
 * <p>Immutable; any thread may use it.
 */
public final class Recording {
  private static final int LARGEST_BLOCK = 1 << 28; // of those that are read at once

  /**
   * A device.
   *
   * @param name such as {@code mock-0}
   */
  public record Device(String name, String description) {}

  /**
   * A queue.
   *
   * @param device the number of its device
   */
  public record Queue(int device, String name) {}

  /**
   * A bundle.
   *
   * @param files the numbers of the payloads, by path
   * @param overlays likewise, of each overlay, the topmost first
   * @param missing what could not be recorded of it, for people
   */
  public record Bundle(
      String name,
      Map<String, Integer> files,
      List<Map<String, Integer>> overlays,
      List<String> missing) {}

  private record Place(long offset, long size) {}

  private final Path file;
  private final List<Place> payloads = new ArrayList<>();
  private final List<Device> devices = new ArrayList<>();
  private final List<Queue> queues = new ArrayList<>();
  private final List<Bundle> bundles = new ArrayList<>();
  private final List<Memory> memories = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final Map<Integer, End> ends = new HashMap<>();
  private int operations;
  private @Nullable String cut;

  private Recording(Path file) {
    this.file = file;
  }

  /**
   * Reads a recording.
   *
   * @throws HalException NOT_FOUND or PERMISSION_DENIED if it cannot be opened; INVALID_ARGUMENT if
   *     it is no recording, or of another version; DATA_LOSS if reading fails
   */
  public static Recording read(Path file) {
    Recording recording = new Recording(file);
    if (!Files.isRegularFile(file)) {
      throw new HalException(Status.NOT_FOUND, "there is no recording " + file);
    }
    try (Input in = new Input(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
      recording.readHeader(in);
      while (recording.readBlock(in)) {}
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "the recording " + file + " cannot be read", e);
    }
    return recording;
  }

  private void readHeader(Input in) throws IOException {
    byte[] magic = in.in.readNBytes(Block.MAGIC.length);
    int version = in.in.read();
    in.at = Block.MAGIC.length + 1L;
    if (!Arrays.equals(magic, Block.MAGIC)) {
      throw new HalException(Status.INVALID_ARGUMENT, file + " is no recording of JHAL");
    }
    if (version != Block.VERSION) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "%s has version %s of the format; this JHAL reads version %s"
              .formatted(file, version, Block.VERSION));
    }
  }

  /** Counts and checks what is read. */
  private static final class Input implements AutoCloseable {
    final InputStream in;
    final CRC32C crc = new CRC32C();
    long at;

    Input(InputStream in) {
      this.in = in;
    }

    int octet() throws IOException {
      int next = in.read();
      if (next < 0) {
        throw new EOFException();
      }
      at++;
      crc.update(next);
      return next;
    }

    long number() throws IOException {
      long value = 0;
      for (int shift = 0; shift < 64; shift += 7) {
        int next = octet();
        value |= (long) (next & 0x7F) << shift;
        if (next < 0x80) {
          return value;
        }
      }
      return -1;
    }

    void skip(long count) throws IOException {
      byte[] chunk = new byte[1 << 16];
      for (long left = count; left > 0; ) {
        int got = in.read(chunk, 0, (int) Math.min(chunk.length, left));
        if (got < 0) {
          throw new EOFException();
        }
        crc.update(chunk, 0, got);
        at += got;
        left -= got;
      }
    }

    byte[] bytes(int count) throws IOException {
      byte[] all = in.readNBytes(count);
      if (all.length < count) {
        throw new EOFException();
      }
      crc.update(all, 0, count);
      at += count;
      return all;
    }

    boolean sumIsRight() throws IOException {
      long expected = crc.getValue();
      long found = 0;
      for (int i = 0; i < 4; i++) {
        found |= (long) octet() << 8 * i;
      }
      return found == expected;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /** Reads a block; returns false at the end, and where the file is cut or damaged. */
  private boolean readBlock(Input in) throws IOException {
    long start = in.at;
    try {
      in.crc.reset();
      int kind;
      try {
        kind = in.octet();
      } catch (EOFException e) {
        return false; // where a block would begin: this is the end
      }
      long length = in.number();
      Block block = Block.of(kind);
      if (block == null || length < 0 || (block != Block.PAYLOAD && length > LARGEST_BLOCK)) {
        cut = "damaged at byte " + start;
        return false;
      }
      if (block == Block.PAYLOAD) {
        in.skip(length);
        if (in.sumIsRight()) {
          payloads.add(new Place(in.at - 4 - length + 16, length - 16));
          return true;
        }
      } else {
        byte[] body = in.bytes((int) length);
        if (in.sumIsRight()) {
          take(block, new ByteReader(body));
          return true;
        }
      }
      cut = "damaged at byte " + start;
    } catch (EOFException e) {
      cut = "cut off at byte " + start;
    } catch (MalformedException | IndexOutOfBoundsException e) {
      cut = "malformed at byte " + start + " (" + e.getMessage() + ")";
    }
    return false;
  }

  private void take(Block block, ByteReader from) throws IOException {
    switch (block) {
      case DEVICE -> devices.add(new Device(from.text(), from.text()));
      case QUEUE -> queues.add(new Queue(from.index(), from.text()));
      case BUNDLE -> bundles.add(readBundle(from));
      case MEMORY -> {
        Memory memory =
            new Memory(
                from.index(), from.number(), from.text(), Memory.Origin.values()[from.octet()]);
        memories.add(memory);
        steps.add(new Step.Allocated(memories.size() - 1));
      }
      case FREED -> steps.add(new Step.Freed(from.index()));
      case HOST_WRITE -> steps.add(new Step.HostWrite(from.range(), from.index()));
      case OPERATION -> steps.add(Step.Operation.read(operations++, from, this::payload));
      case END -> {
        int operation = from.index();
        ends.put(operation, End.read(from));
      }
      case NONE, PAYLOAD -> throw new IllegalStateException("read elsewhere");
    }
  }

  private static Bundle readBundle(ByteReader from) {
    String name = from.text();
    Map<String, Integer> files = readFiles(from);
    List<Map<String, Integer>> overlays = new ArrayList<>();
    for (int left = from.index(); left > 0; left--) {
      overlays.add(readFiles(from));
    }
    List<String> missing = new ArrayList<>();
    for (int left = from.index(); left > 0; left--) {
      missing.add(from.text());
    }
    return new Bundle(name, files, overlays, missing);
  }

  private static Map<String, Integer> readFiles(ByteReader from) {
    Map<String, Integer> files = new LinkedHashMap<>();
    for (int left = from.index(); left > 0; left--) {
      files.put(from.text(), from.index());
    }
    return files;
  }

  /** Where the file ends before its time; null if it does not. */
  public @Nullable String cut() {
    return cut;
  }

  /** The devices, by number. */
  public List<Device> devices() {
    return List.copyOf(devices);
  }

  /** A queue. */
  public Queue queue(int number) {
    return queues.get(number);
  }

  /** The bundles, by number. */
  public List<Bundle> bundles() {
    return List.copyOf(bundles);
  }

  /** A memory. */
  public Memory memory(int number) {
    return memories.get(number);
  }

  /** What happened. */
  public List<Step> steps() {
    return steps;
  }

  /** How many operations there are. */
  public int operations() {
    return operations;
  }

  /** How an operation has ended; null if the file does not say, as for most. */
  public @Nullable End end(int operation) {
    return ends.get(operation);
  }

  /** The number of bytes of a payload. */
  public long payloadSize(int number) {
    return payloads.get(number).size;
  }

  /** The bytes of a payload that fits into an array. */
  public byte[] payload(int number) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(payloads.get(number).size));
    payload(number, 0, bytes);
    return bytes.array();
  }

  /** Fills {@code target} with the bytes of a payload from {@code offset} on. */
  public void payload(int number, long offset, ByteBuffer target) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      long at = payloads.get(number).offset + offset;
      while (target.hasRemaining()) {
        int got = channel.read(target, at);
        if (got < 0) {
          throw new EOFException(file + " has become shorter");
        }
        at += got;
      }
    }
  }
}
