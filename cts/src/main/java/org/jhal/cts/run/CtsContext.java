// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceBuffer;
import org.jhal.Executable;
import org.jhal.IndirectWorkgroups;
import org.jhal.cts.Controls;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.Need;
import org.jhal.cts.support.Cts;
import org.jhal.cts.support.TestData;
import org.jhal.cts.support.Waits;
import org.jspecify.annotations.Nullable;

/**
 * The fixture of one test, with a record of what the test has used so far.
 *
 * <p>Used by the test's own thread; {@link #closing} and the methods that create resources, by any
 * thread.
 */
final class CtsContext implements Cts {
  private final CtsSession session;
  private final LogCapture logs;
  private final long seed;
  private final String @Nullable [] freshOptions;
  private final Deque<AutoCloseable> closing = new ArrayDeque<>(); // guarded by itself
  private final IdentityHashMap<Device, DeviceUse> used =
      new IdentityHashMap<>(); // guarded by this
  private final IdentityHashMap<Device, DeviceBuffer> grids =
      new IdentityHashMap<>(); // guarded by this
  private final List<String> injected = new CopyOnWriteArrayList<>();
  private @Nullable OpenedDevice underTest; // guarded by this
  private boolean isSeedUsed;
  private volatile boolean isLeavingAllowed;

  /** A device that a test uses, with what it held before the test. */
  record DeviceUse(
      OpenedDevice device,
      @Nullable Controls controls,
      boolean isFresh,
      long liveResources,
      long bytes,
      long openOperations) {}

  CtsContext(
      CtsSession session, LogCapture logs, String invocation, String @Nullable [] freshOptions) {
    this.session = session;
    this.logs = logs;
    this.seed = session.seed() * 31 + invocation.hashCode();
    this.freshOptions = freshOptions;
  }

  @Override
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

  @Override
  public Device second() {
    return shared(CtsSession.Role.SECOND, Need.SECOND_DEVICE);
  }

  @Override
  public Device other() {
    return shared(CtsSession.Role.OTHER, Need.OTHER_DRIVER);
  }

  private synchronized Device shared(CtsSession.Role role, Need need) {
    Optional<OpenedDevice> device = session.shared(role);
    if (device.isEmpty()) {
      throw Cts.unsupported(need.absence());
    }
    use(device.get(), false);
    return device.get().device();
  }

  @Override
  public synchronized Device open(String... options) {
    OpenedDevice opened = session.openFresh(options);
    use(opened, true);
    return opened.device();
  }

  @Override
  public synchronized Device openSecond(String... options) {
    OpenedDevice opened =
        session
            .openFreshSecond(options)
            .orElseThrow(() -> Cts.unsupported(Need.SECOND_DEVICE.absence()));
    use(opened, true);
    return opened.device();
  }

  private void use(OpenedDevice device, boolean isFresh) {
    used.computeIfAbsent(
        device.device(),
        key -> {
          var statistics = key.statistics();
          Controls controls = device.controls();
          String where = used.isEmpty() ? "" : "on " + key.info().uri() + " ";
          return new DeviceUse(
              device,
              controls == null ? null : new RecordedControls(controls, where, injected),
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

  /** What the test has done with controls so far, in order. */
  List<String> injected() {
    return injected;
  }

  @Override
  public String uri() {
    return session.uri();
  }

  @Override
  public CtsBackend backend() {
    return session.backend();
  }

  @Override
  public @Nullable Controls findControls(Device device) {
    DeviceUse use = findUse(device);
    return use == null ? null : use.controls();
  }

  private synchronized @Nullable DeviceUse findUse(Device device) {
    return used.get(device);
  }

  @Override
  public Executable kernels(Device device) {
    DeviceUse use = findUse(device);
    if (use == null) {
      throw new IllegalArgumentException(device + " was not opened through this object");
    }
    return use.device().kernels();
  }

  @Override
  public void loadKernels() {
    for (DeviceUse use : used()) {
      if (use.device().isUsable() && use.device().hasKernels()) {
        var unused = use.device().kernels();
      }
    }
  }

  @Override
  public Random random() {
    isSeedUsed = true;
    return new Random(seed);
  }

  boolean isSeedUsed() {
    return isSeedUsed;
  }

  @Override
  public synchronized DeviceBuffer oneWorkgroup(Device device) {
    return grids.computeIfAbsent(
        device,
        on -> {
          DeviceBuffer grid = closing(on.allocate(IndirectWorkgroups.BYTES, BufferParams.HOST));
          try (DeviceBuffer.Mapping mapping = grid.map(DeviceBuffer.MapMode.WRITE)) {
            mapping.bytes().put(TestData.ints(1, 1, 1));
          }
          return grid;
        });
  }

  @Override
  public <T extends AutoCloseable> T closing(T resource) {
    synchronized (closing) {
      closing.push(resource);
    }
    return resource;
  }

  /** The next resource to close, or null. */
  @Nullable AutoCloseable pollClosing() {
    synchronized (closing) {
      return closing.poll();
    }
  }

  @Override
  public void allowLeftovers() {
    isLeavingAllowed = true;
  }

  boolean isLeavingAllowed() {
    return isLeavingAllowed;
  }

  @Override
  public void allowLog(String part) {
    logs.allow(part);
  }

  @Override
  public void allowWarnings() {
    logs.allowWarnings();
  }

  @Override
  public void awaitLog(String part) {
    Waits.awaitTrue("a warning in the log with '" + part + "'", () -> logs.consume(part));
  }
}
