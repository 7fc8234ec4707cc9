package org.jhal.cts;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.Executable;
import org.jhal.Fence;
import org.jhal.HostCall;
import org.jhal.Kernel;
import org.jhal.TimelineSemaphore;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * What one test works with: the device under test, and things that are closed when it is over.
 *
 * <pre>{@code
 * @Test
 * @Rule("M6")
 * void fillsABuffer(Cts cts) {
 *   TimelineSemaphore done = cts.semaphore();
 *   DeviceBuffer buffer = cts.buffer(16);
 *   cts.queue().fill(Fence.NONE, done.at(1), buffer, 0, 16, FillPattern.of8(7));
 *   awaitReached(done, 1);
 *   assertBytes(filled(16, 7), cts.read(buffer), "filled buffer");
 * }
 * }</pre>
 *
 * <p>Waits are in {@link Waits}, data in {@link TestData}, further threads in {@link Task},
 * recordings that run directly and through a binding table in {@link Commands}.
 *
 * <p>Used by the test's own thread; {@link #closing} and what makes things by any.
 */
public final class Cts {
  /** What a test that is found to be unsupported is aborted with. */
  static final String UNSUPPORTED = "unsupported: ";

  private final CtsSession session;
  private final LogCapture logs;
  private final long seed;
  private final String @Nullable [] freshOptions;
  private final Deque<AutoCloseable> closing = new ArrayDeque<>(); // guarded by itself
  private final IdentityHashMap<Device, DeviceUse> used =
      new IdentityHashMap<>(); // guarded by this
  private @Nullable OpenedDevice underTest; // guarded by this
  private boolean isSeedUsed;
  private volatile boolean isLeavingAllowed;

  /** What a test found on a device. */
  record DeviceUse(
      OpenedDevice device, boolean isFresh, long liveResources, long bytes, long openOperations) {}

  Cts(CtsSession session, LogCapture logs, String invocation, String @Nullable [] freshOptions) {
    this.session = session;
    this.logs = logs;
    this.seed = session.seed() * 31 + invocation.hashCode();
    this.freshOptions = freshOptions;
  }

  /** The device under test; one of this test's own with {@link FreshDevice}. */
  public Device device() {
    return underTest().device();
  }

  private synchronized OpenedDevice underTest() {
    if (underTest == null) {
      boolean isFresh = freshOptions != null;
      underTest =
          freshOptions != null
              ? session.openFresh(freshOptions)
              : session.shared(CtsSession.Role.UNDER_TEST).orElseThrow();
      use(underTest, isFresh);
    }
    return underTest;
  }

  /** Another device of the same driver; the test is unsupported where there is none. */
  public Device second() {
    return shared(CtsSession.Role.SECOND, Need.SECOND_DEVICE);
  }

  /** A device of another driver; the test is unsupported where there is none. */
  public Device other() {
    return shared(CtsSession.Role.OTHER, Need.OTHER_DRIVER);
  }

  private synchronized Device shared(CtsSession.Role role, Need need) {
    Optional<OpenedDevice> device = session.shared(role);
    if (device.isEmpty()) {
      throw unsupported(need.absence());
    }
    use(device.get(), false);
    return device.get().device();
  }

  /**
   * Opens the device under test once more, for this test alone.
   *
   * @param options to open it with, each {@code NAME=VALUE}
   */
  public synchronized Device open(String... options) {
    OpenedDevice opened = session.openFresh(options);
    use(opened, true);
    return opened.device();
  }

  private void use(OpenedDevice device, boolean isFresh) {
    used.computeIfAbsent(
        device.device(),
        key -> {
          var statistics = key.statistics();
          return new DeviceUse(
              device,
              isFresh,
              device.liveResources(statistics),
              statistics.bytes(),
              statistics.openOperations());
        });
  }

  /** The devices that the test used. */
  synchronized List<DeviceUse> used() {
    return new ArrayList<>(used.values());
  }

  /** The URI of the device under test. */
  public String uri() {
    return session.uri();
  }

  /** The backend under test. */
  public CtsBackend backend() {
    return session.backend();
  }

  /** The first queue of the device under test. */
  public DeviceQueue queue() {
    return device().queue(0);
  }

  /** A queue of the device under test. */
  public DeviceQueue queue(int index) {
    return device().queue(index);
  }

  /** The handle on the device under test; for tests that {@link Need#CONTROLS need} it. */
  public Controls controls() {
    return controls(device());
  }

  /** The handle on a device. */
  public Controls controls(Device device) {
    Controls controls = findControls(device);
    if (controls == null) {
      throw unsupported(Need.CONTROLS.absence());
    }
    return controls;
  }

  synchronized @Nullable Controls findControls(Device device) {
    DeviceUse use = used.get(device);
    return use == null ? null : use.device().controls();
  }

  /** Random numbers, which the seed that a failure prints repeats. */
  public Random random() {
    isSeedUsed = true;
    return new Random(seed);
  }

  boolean isSeedUsed() {
    return isSeedUsed;
  }

  /** Ends the test: the backend does not offer what it needs. To be thrown. */
  public static TestAbortedException unsupported(String reason) {
    return new TestAbortedException(UNSUPPORTED + reason);
  }

  /** Closes {@code resource} when the test is over; what is named last is closed first. */
  public <T extends AutoCloseable> T closing(T resource) {
    synchronized (closing) {
      closing.push(resource);
    }
    return resource;
  }

  /** The next thing to close, or null. */
  @Nullable AutoCloseable pollClosing() {
    synchronized (closing) {
      return closing.poll();
    }
  }

  /** A timeline at 0, closed after the test. */
  public TimelineSemaphore semaphore() {
    return semaphore(0);
  }

  /** A timeline, closed after the test. */
  public TimelineSemaphore semaphore(long initialValue) {
    return semaphore(device(), initialValue);
  }

  /** A timeline of {@code device}, closed after the test. */
  public TimelineSemaphore semaphore(Device device, long initialValue) {
    return closing(device.createSemaphore(initialValue));
  }

  /** A buffer in device memory, closed after the test. */
  public DeviceBuffer buffer(long bytes) {
    return buffer(device(), bytes, BufferParams.DEVICE);
  }

  /** A buffer of {@code device}, closed after the test. */
  public DeviceBuffer buffer(Device device, long bytes, BufferParams params) {
    return closing(device.allocate(bytes, params));
  }

  /** A buffer in device memory that holds {@code content}, closed after the test. */
  public DeviceBuffer buffer(byte[] content) {
    DeviceBuffer buffer = buffer(content.length);
    write(buffer, 0, content);
    return buffer;
  }

  /** Writes bytes through the first queue of the buffer's device, and waits for it. */
  public void write(DeviceBuffer buffer, long offset, byte[] content) {
    try (TimelineSemaphore done = buffer.device().createSemaphore(0)) {
      DeviceQueue queue = buffer.device().queue(0);
      queue.upload(Fence.NONE, done.at(1), ByteBuffer.wrap(content), buffer, offset);
      Waits.awaitReached(done, 1);
    }
  }

  /** All bytes of a buffer, read through the first queue of its device. */
  public byte[] read(DeviceBuffer buffer) {
    return read(buffer, 0, Math.toIntExact(buffer.size()));
  }

  /** Bytes of a buffer, read through the first queue of its device. */
  public byte[] read(DeviceBuffer buffer, long offset, int length) {
    byte[] bytes = new byte[length];
    try (TimelineSemaphore done = buffer.device().createSemaphore(0)) {
      DeviceQueue queue = buffer.device().queue(0);
      queue.readback(Fence.NONE, done.at(1), buffer, offset, ByteBuffer.wrap(bytes));
      Waits.awaitReached(done, 1);
    }
    return bytes;
  }

  /** The suite's kernels on the device under test; the suite closes them. */
  public Executable kernels() {
    return underTest().kernels();
  }

  /** One of the suite's kernels on the device under test. */
  public Kernel kernel(String name) {
    return kernels().kernel(name);
  }

  /** One of the suite's kernels on a device that this test uses. */
  public synchronized Kernel kernel(Device device, String name) {
    DeviceUse use = used.get(device);
    if (use == null) {
      throw new IllegalArgumentException(device + " was not opened through this object");
    }
    return use.device().kernels().kernel(name);
  }

  /**
   * Gives whatever could start now the chance to do so: runs work without waits through {@code
   * queue}, behind everything that was handed to it, and waits for that.
   */
  public void flush(DeviceQueue queue) {
    try (DeviceBuffer probe = queue.device().allocate(4, BufferParams.DEVICE);
        TimelineSemaphore done = queue.device().createSemaphore(0)) {
      queue.readback(Fence.NONE, done.at(1), probe, 0, ByteBuffer.allocate(4));
      // Whoever waits for device work may see it end before those who look after the queue have
      // come
      // to what is in front of it; a host call begins when they have.
      queue.hostCall(done.at(1), done.at(2), HostCall.Mode.BLOCKING, call -> {});
      Waits.awaitReached(done, 2);
    }
  }

  /** Waits until no operation of the device under test is open: all have retired. */
  public void awaitIdle() {
    Device device = device();
    Waits.awaitStatistics(
        "all operations of " + uri() + " to retire", device, now -> now.openOperations() == 0);
  }

  /** What this test leaves on its own devices is no failure: it was made to leave something. */
  public void allowLeftovers() {
    isLeavingAllowed = true;
  }

  boolean isLeavingAllowed() {
    return isLeavingAllowed;
  }

  /** Warnings that contain {@code part} are no failure of this test. */
  public void allowLog(String part) {
    logs.allow(part);
  }

  /** No warning is a failure of this test: it does what a driver may have to tell of. */
  public void allowWarnings() {
    logs.allowWarnings();
  }

  /** Waits for a warning that contains {@code part}; it is no failure of this test. */
  public void awaitLog(String part) {
    Waits.awaitTrue("a warning in the log with '" + part + "'", () -> logs.consume(part));
  }
}
