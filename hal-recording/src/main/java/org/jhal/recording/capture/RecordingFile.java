// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.capture;

import com.google.common.collect.MapMaker;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jhal.Global;
import org.jhal.HostMemory;
import org.jhal.MemoryType;
import org.jhal.QueueGrant;
import org.jhal.QueueRequest;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.support.EngineThread;
import org.jhal.recording.format.Block;
import org.jhal.recording.format.ByteWriter;
import org.jhal.recording.format.Digest;
import org.jhal.recording.format.Memory;
import org.jhal.recording.format.Payload;
import org.jhal.recording.format.RecordingWriter;
import org.jspecify.annotations.Nullable;

/**
 * A recording that is being written, with the numbers that it has given to things. All that is
 * written in one {@link #write} is in one place of the file. If writing fails, the recording ends
 * there: that is logged, and nothing else happens.
 *
 * <p>Thread-safe. Its lock is held for its own data and the file.
 */
final class RecordingFile {
  private static final System.Logger LOG = System.getLogger(RecordingFile.class.getName());

  /** How long bytes stay in the process; it costs a call of the system each time. */
  private static final long DELAY_NANOS = 1_000_000;

  private final Path path;
  private final RecordingWriter writer;

  @GuardedBy("this")
  private boolean isBroken;

  @GuardedBy("this")
  private int users; // devices that are open

  @GuardedBy("this")
  private @Nullable Thread flusher; // null while there are none: whoever writes then flushes

  @GuardedBy("this")
  private boolean isPending; // something is for the flusher

  @GuardedBy("this")
  private int devices;

  @GuardedBy("this")
  private final Map<Digest, Integer> bundles = new HashMap<>(); // by what is in them

  @GuardedBy("this")
  private int memoryCount;

  @GuardedBy("this")
  private int operations;

  @GuardedBy("this")
  private final Map<String, Integer> queues = new HashMap<>(); // the latest, by device and name

  private int queueCount;

  @GuardedBy("this")
  private final List<RecordedMemory.Window> windows = new ArrayList<>(); // of all memories

  @GuardedBy("this")
  private final List<OperationEntry> borrowers = new ArrayList<>(); // see addBorrower

  // By identity, and without keeping them.
  private final Map<DeviceMemory, RecordedMemory> memories = new MapMaker().weakKeys().makeMap();
  private final Map<KernelModule, Integer> modules = new MapMaker().weakKeys().makeMap();
  private final Map<CommandList, WrittenList> lists = new MapMaker().weakKeys().makeMap();

  RecordingFile(Path path) {
    this.path = path;
    this.writer = new RecordingWriter(path);
  }

  /** A part of recording something. */
  interface Part {
    void run() throws IOException;
  }

  /** Does something that must not fail the program: if it throws, the recording ends. */
  void attempt(Part part) {
    try {
      part.run();
    } catch (IOException | RuntimeException | LinkageError | VirtualMachineError e) {
      breakOff(e);
    }
  }

  /** Writes to the file, unless the recording has ended. */
  void write(Part part) {
    attempt(
        () -> {
          synchronized (this) {
            if (!isBroken) {
              part.run();
              noteWritten();
            }
          }
        });
  }

  @GuardedBy("this")
  private void noteWritten() throws IOException {
    if (flusher == null) {
      writer.flush();
    } else if (!isPending) {
      isPending = true;
      notifyAll();
    }
  }

  /** A device begins to be recorded. */
  synchronized void addUser() {
    if (users == 0) {
      EngineThread thread = new EngineThread("jhal-recording", this::flushAgainAndAgain);
      thread.start();
      flusher = thread;
    }
    users++;
  }

  /** A device is closed. What is in the recording by then is in the file. */
  void removeUser() {
    synchronized (this) {
      users--;
      if (users == 0) {
        flusher = null;
        notifyAll();
      }
    }
    flush();
  }

  /**
   * Writes to the file a moment after something was recorded, so that no operation waits for it.
   */
  private void flushAgainAndAgain() {
    while (awaitPending()) {
      LockSupport.parkNanos(DELAY_NANOS);
      flush();
    }
  }

  private void flush() {
    attempt(
        () -> {
          synchronized (this) {
            isPending = false;
            if (!isBroken) {
              writer.flush();
            }
          }
        });
  }

  /** Returns false once no device is recorded, or another thread flushes. */
  private synchronized boolean awaitPending() {
    while (flusher == Thread.currentThread() && !isPending) {
      try {
        wait();
      } catch (InterruptedException e) {
        continue; // nobody does that
      }
    }
    return flusher == Thread.currentThread();
  }

  /** Ends the recording, as something cannot be recorded. */
  private void breakOff(Throwable why) {
    synchronized (this) {
      if (isBroken) {
        return;
      }
      isBroken = true;
    }
    try {
      LOG.log(Level.WARNING, "the recording " + path + " ends here: " + why, why);
    } catch (RuntimeException | LinkageError | VirtualMachineError e) {
      return; // a logger must not fail the program
    }
  }

  /** Adds a device; returns its number. */
  int device(String name, String description) {
    int[] number = {0}; // of no use if the recording has ended
    write(() -> number[0] = addDevice(name, description));
    return number[0];
  }

  private synchronized int addDevice(String name, String description) throws IOException {
    block(Block.DEVICE, new ByteWriter().text(name).text(description));
    return devices++;
  }

  // In a write().

  private void block(Block kind, ByteWriter body) throws IOException {
    writer.block(kind, body);
  }

  int payload(Payload payload) throws IOException {
    return writer.payload(payload);
  }

  synchronized int queue(int device, String name) throws IOException {
    Integer known = queues.get(device + " " + name);
    if (known != null) {
      return known;
    }
    return addQueue(device, name, new ByteWriter().number(device).text(name));
  }

  private synchronized int addQueue(int device, String name, ByteWriter body) throws IOException {
    block(Block.QUEUE, body);
    queues.put(device + " " + name, queueCount);
    return queueCount++;
  }

  /** Another queue may have had the name. */
  synchronized void acquired(int device, String name, QueueRequest request, QueueGrant grant)
      throws IOException {
    ByteWriter body = new ByteWriter().number(device).text(name);
    body.octet(request.priority().ordinal()).octet(request.share().isPresent() ? 1 : 0);
    body.word(Double.doubleToLongBits(request.share().orElse(0))).text(request.name());
    body.octet(grant.priority().ordinal()).number(grant.computeUnits());
    body.number(grant.deviceComputeUnits()).octet(grant.isExclusive() ? 1 : 0);
    int unused = addQueue(device, name, body);
  }

  synchronized void bundle(KernelModule module, ByteWriter body) throws IOException {
    Digest digest = Payload.of(body.toArray()).digest();
    Integer known = bundles.get(digest);
    if (known == null) {
      block(Block.BUNDLE, body);
      known = bundles.size();
      bundles.put(digest, known);
    }
    modules.put(module, known);
  }

  /** The number of the bundle of a module; null if it was loaded before the recording began. */
  @Nullable Integer bundle(KernelModule module) {
    return modules.get(module);
  }

  /** How a list of several commands was written last; null if it was not. */
  @Nullable WrittenList written(CommandList commands) {
    return lists.get(commands);
  }

  void setWritten(CommandList commands, @Nullable WrittenList written) {
    if (written != null) {
      lists.put(commands, written);
    }
  }

  synchronized RecordedMemory addMemory(
      DeviceMemory memory, int device, long size, MemoryType type, Memory.Origin origin)
      throws IOException {
    block(Block.MEMORY, body(device, size, type, origin));
    boolean isForHost = type != MemoryType.DEVICE || origin == Memory.Origin.HOST;
    return addMemory(memory, isForHost);
  }

  /** Adds a variable of a module. */
  synchronized void addGlobal(DeviceMemory memory, int device, KernelModule module, Global global)
      throws IOException {
    Integer bundle = bundle(module);
    Memory.Origin origin = bundle == null ? Memory.Origin.FOREIGN : Memory.Origin.GLOBAL;
    ByteWriter body = body(device, global.bytes(), MemoryType.DEVICE, origin);
    if (bundle != null) {
      body.number(bundle).text(global.name());
    }
    block(Block.MEMORY, body);
    RecordedMemory unused = addMemory(memory, false);
  }

  private static ByteWriter body(int device, long size, MemoryType type, Memory.Origin origin) {
    return new ByteWriter().number(device).number(size).text(type.name()).octet(origin.ordinal());
  }

  private synchronized RecordedMemory addMemory(DeviceMemory memory, boolean isForHost) {
    RecordedMemory made = new RecordedMemory(this, memoryCount++, isForHost);
    memories.put(memory, made);
    return made;
  }

  /** What is recorded of a memory; of one that no recorded device has allocated, from now on. */
  RecordedMemory memory(DeviceMemory memory, int device) throws IOException {
    RecordedMemory known = memories.get(memory);
    return known != null
        ? known
        : addMemory(memory, device, memory.size(), MemoryType.DEVICE, Memory.Origin.FOREIGN);
  }

  void nameMemory(DeviceMemory memory, String name) throws IOException {
    RecordedMemory known = memories.get(memory);
    if (known != null) {
      block(Block.NAMED, new ByteWriter().number(known.number).text(name));
    }
  }

  void hazard(String text) throws IOException {
    block(Block.HAZARD, new ByteWriter().text(text));
  }

  void freeMemory(DeviceMemory memory) throws IOException {
    RecordedMemory known = memories.remove(memory);
    if (known != null) {
      known.free();
      block(Block.FREED, new ByteWriter().number(known.number));
    }
  }

  synchronized void addWindow(RecordedMemory.Window window) {
    for (RecordedMemory.Window other : windows) {
      if (other.memory != window.memory && Addresses.mayOverlap(other.bytes, window.bytes)) {
        other.memory.share();
        window.memory.share();
      }
    }
    windows.add(window);
  }

  synchronized void removeWindow(RecordedMemory.Window window) {
    windows.remove(window);
  }

  /** Whether this may be mapped or imported memory of a device: true if that is not known. */
  synchronized boolean mayBeMapped(HostMemory memory) {
    return windows.stream().anyMatch(window -> Addresses.mayOverlap(window.bytes, memory));
  }

  /** An operation reads or writes host memory, which is looked at when the operation ends. */
  synchronized void addBorrower(OperationEntry entry) {
    borrowers.add(entry);
  }

  synchronized void removeBorrower(OperationEntry entry) {
    borrowers.removeIf(other -> other == entry);
  }

  /**
   * An operation is about to be issued that writes host memory: what is there when an earlier one
   * ends may no longer be what that one has read or written.
   */
  synchronized void overwrites(HostMemory memory) {
    borrowers.forEach(entry -> entry.hostMemoryIsWritten(own -> Addresses.mayOverlap(own, memory)));
  }

  /** The same for memory that is mapped or imported. */
  synchronized void overwrites(ByteBuffer window) {
    borrowers.forEach(entry -> entry.hostMemoryIsWritten(own -> Addresses.mayOverlap(window, own)));
  }

  /** The same if it is not known where. */
  synchronized void overwritesAny() {
    borrowers.forEach(entry -> entry.hostMemoryIsWritten(own -> true));
  }

  void hostWrite(int memory, long offset, Payload bytes) throws IOException {
    int payload = payload(bytes);
    block(
        Block.HOST_WRITE,
        new ByteWriter().number(memory).number(offset).number(bytes.size()).number(payload));
  }

  /** Writes an operation; returns its number. */
  synchronized int operation(ByteWriter body) throws IOException {
    block(Block.OPERATION, body);
    return operations++;
  }

  void end(ByteWriter body) throws IOException {
    block(Block.END, body);
  }
}
