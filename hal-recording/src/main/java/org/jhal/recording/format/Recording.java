// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
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
import java.util.OptionalDouble;
import org.jhal.HalException;
import org.jhal.IndirectWorkgroups;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.QueueRequest.Priority;
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
  private static final int DIGEST = 16; // bytes before those of a payload

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
   * @param request what the program asked for when it acquired the queue; null if it is one of
   *     those that the device always has
   * @param grant what it got then, else null
   */
  public record Queue(
      int device, String name, @Nullable QueueRequest request, @Nullable QueueGrant grant) {}

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
  private final Map<Integer, String> names = new HashMap<>(); // of memories
  private final List<String> hazards = new ArrayList<>();
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
    try (BlockInput in =
        new BlockInput(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
      recording.readHeader(in);
      while (recording.readBlock(in)) {}
    } catch (IOException e) {
      throw HostFailures.of(Status.DATA_LOSS, "the recording " + file + " cannot be read", e);
    }
    return recording;
  }

  private void readHeader(BlockInput in) throws IOException {
    byte[] magic = in.header(Block.MAGIC.length + 1);
    int version = magic[Block.MAGIC.length];
    if (!Arrays.equals(magic, 0, Block.MAGIC.length, Block.MAGIC, 0, Block.MAGIC.length)) {
      throw new HalException(Status.INVALID_ARGUMENT, file + " is no recording of JHAL");
    }
    if (version != Block.VERSION) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "%s has version %s of the format; this JHAL reads version %s"
              .formatted(file, version, Block.VERSION));
    }
  }

  /** Reads a block; returns false at the end, and where the file is cut or damaged. */
  private boolean readBlock(BlockInput in) throws IOException {
    long start = in.at();
    try {
      in.beginBlock();
      int kind;
      try {
        kind = in.octet();
      } catch (EOFException e) {
        return false; // where a block would begin: this is the end
      }
      long length = in.number();
      Block block = Block.of(kind);
      if (block == null || length < 0 || !isPlausible(block, length)) {
        cut = "damaged at byte " + start;
        return false;
      }
      if (block == Block.PAYLOAD) {
        in.skip(length);
        if (in.sumIsRight()) {
          payloads.add(new Place(in.at() - 4 - length + DIGEST, length - DIGEST));
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

  private static boolean isPlausible(Block block, long length) {
    return block == Block.PAYLOAD ? length >= DIGEST : length <= LARGEST_BLOCK;
  }

  private Queue readQueue(ByteReader from) {
    int device = from.index(devices.size());
    String name = from.text();
    if (!from.hasMore()) {
      return new Queue(device, name, null, null);
    }
    Priority wanted = priority(from);
    boolean hasShare = from.octet() == 1;
    double share = Double.longBitsToDouble(from.word());
    OptionalDouble part = hasShare ? OptionalDouble.of(share) : OptionalDouble.empty();
    try {
      QueueRequest request = new QueueRequest(wanted, part, from.text());
      return new Queue(
          device,
          name,
          request,
          new QueueGrant(priority(from), from.index(), from.index(), from.octet() == 1));
    } catch (HalException e) {
      throw new MalformedException(String.valueOf(e.getMessage()));
    }
  }

  private static Priority priority(ByteReader from) {
    return Priority.values()[from.index(Priority.values().length)];
  }

  private void take(Block block, ByteReader from) throws IOException {
    switch (block) {
      case DEVICE -> devices.add(new Device(from.text(), from.text()));
      case QUEUE -> queues.add(readQueue(from));
      case BUNDLE -> bundles.add(readBundle(from));
      case MEMORY -> {
        int device = from.index(devices.size());
        long size = from.number();
        String type = from.text();
        Memory.Origin origin = Memory.Origin.values()[from.index(Memory.Origin.values().length)];
        Memory.Variable variable =
            origin == Memory.Origin.GLOBAL
                ? new Memory.Variable(from.index(bundles.size()), from.text())
                : null;
        memories.add(new Memory(device, size, type, origin, variable));
        steps.add(new Step.Allocated(memories.size() - 1));
      }
      case FREED -> steps.add(new Step.Freed(from.index(memories.size())));
      case HOST_WRITE -> steps.add(check(new Step.HostWrite(from.range(), from.index())));
      case OPERATION -> {
        Step.Operation operation =
            Step.Operation.read(operations, from, this::payload, queues.size());
        operation.actions().forEach(this::check);
        steps.add(operation);
        operations++;
      }
      case END -> {
        int operation = from.index(operations);
        End end = End.read(from);
        check(end.payload() < payloads.size(), "payload");
        end.effects().forEach(this::check);
        ends.put(operation, end);
      }
      case HAZARD -> hazards.add(from.text());
      case NAMED -> {
        int memory = from.index(memories.size());
        names.put(memory, from.text());
      }
      case NONE, PAYLOAD -> throw new IllegalStateException("read elsewhere");
    }
  }

  private static void check(boolean exists, String what) {
    if (!exists) {
      throw new MalformedException("it names a " + what + " that there is not");
    }
  }

  private void check(@Nullable Range range) {
    if (range != null) {
      check(range.memory() < memories.size(), "memory");
      long size = memories.get(range.memory()).size();
      long offset = range.offset();
      check(offset >= 0 && offset <= size, "range");
      check(range.length() >= 0 && range.length() <= size - offset, "range");
    }
  }

  private Step.HostWrite check(Step.HostWrite write) {
    check(write.range());
    check(write.payload() < payloads.size(), "payload");
    check(payloads.get(write.payload()).size == write.range().length(), "payload of that length");
    return write;
  }

  private void check(Action action) {
    action.ranges().forEach(this::check);
    if (action instanceof Action.Write write && write.payload() != Action.LATE) {
      check(new Step.HostWrite(write.target(), write.payload()));
    } else if (action instanceof Action.Copy copy) {
      check(copy.source().length() == copy.target().length(), "range of that length");
    } else if (action instanceof Action.Dispatch dispatch) {
      check(dispatch.bundle() < bundles.size(), "bundle");
      Range counts = dispatch.counts();
      check(counts);
      check(counts == null || counts.length() == IndirectWorkgroups.BYTES, "range of that length");
    }
  }

  private Bundle readBundle(ByteReader from) {
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

  private Map<String, Integer> readFiles(ByteReader from) {
    Map<String, Integer> files = new LinkedHashMap<>();
    for (int left = from.index(); left > 0; left--) {
      files.put(from.text(), from.index(payloads.size()));
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

  /** The name that the program has given to a memory; null if it has none. */
  public @Nullable String name(int memory) {
    return names.get(memory);
  }

  /** Reports of operations that were not ordered, in the order in which they were found. */
  public List<String> hazards() {
    return List.copyOf(hazards);
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
