// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.twin;

import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jhal.BufferParams;
import org.jhal.Capability;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.MemoryType;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.driver.options.MemoryBudget;
import org.jhal.driver.support.Attempt;
import org.jhal.driver.support.ReusableEvent;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.recording.compare.Comparison;
import org.jhal.recording.compare.Elements;
import org.jhal.recording.compare.Finding;
import org.jhal.recording.compare.Noise;
import org.jhal.recording.compare.Side;
import org.jhal.recording.format.Action.Dispatch;
import org.jhal.spi.HostWaits;
import org.jspecify.annotations.Nullable;

/**
 * Two devices that do the same. All streams together run one command at a time: on both devices,
 * and with a comparison of what a dispatch has written.
 *
 * <p>Thread-safe.
 */
final class TwinDevice implements DeviceBackend<ReusableEvent<CountDownLatch>> {
  /** What a twin has if both devices have it. */
  private static final List<Capability> OF_BOTH =
      List.of(
          Capability.SATURATING_CASTS,
          Capability.SUBNORMALS,
          Capability.COOPERATIVE_DISPATCH,
          Capability.KERNEL_GLOBALS);

  private final DeviceInfo info;
  private final List<String> names;
  private final Side first;
  private final Side second;
  private final Set<Capability> capabilities;
  private final Set<Command.Kind> commands;
  private final boolean hasNoise;
  private final MemoryBudget budget;
  private final byte fresh; // what new memory is filled with on the second device
  private final AtomicInteger memories = new AtomicInteger();
  private final AtomicInteger bundles = new AtomicInteger();

  private final Comparison comparison; // used in run(Action)

  private int dispatches; // likewise

  /**
   * Takes over two devices.
   *
   * @param names of both, for people
   * @param hasNoise whether each dispatch runs two more times on the first device
   * @param hasSameFresh whether new memory has the same bytes on both
   */
  TwinDevice(
      DeviceInfo info,
      List<String> names,
      Device first,
      Device second,
      Elements.Tolerance tolerance,
      boolean hasNoise,
      boolean hasSameFresh) {
    this.info = info;
    this.names = names;
    this.first = new Side(first);
    this.second = new Side(second);
    this.hasNoise = hasNoise;
    this.fresh = Elements.FRESH[hasSameFresh ? 0 : 1];
    this.budget = new MemoryBudget(info.uri(), info.memoryBytes());
    this.comparison = new Comparison(this.first, this.second, tolerance, new Noise(), false, false);
    Set<Capability> both = EnumSet.of(Capability.HOST_IMPORT, Capability.SHARED_MEMORY);
    for (Capability one : OF_BOTH) {
      if (first.capabilities().contains(one) && second.capabilities().contains(one)) {
        both.add(one);
      }
    }
    this.capabilities = Set.copyOf(both);
    Set<Command.Kind> kinds = EnumSet.copyOf(BASE_COMMANDS);
    if (first.capabilities().contains(Capability.INDIRECT_DISPATCH)
        && second.capabilities().contains(Capability.INDIRECT_DISPATCH)) {
      kinds.add(Command.Kind.INDIRECT_DISPATCH);
    }
    this.commands = Set.copyOf(kinds);
  }

  @Override
  public DeviceInfo info() {
    return info;
  }

  @Override
  public Set<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public Set<Command.Kind> supportedCommands() {
    return commands;
  }

  /** Those of the first device; the second one chooses a variant of its own. */
  @Override
  public Set<String> executableFormats() {
    return first.device().executableFormats();
  }

  @Override
  public NativeStream<ReusableEvent<CountDownLatch>> createStream(int index) {
    return new TwinStream(this, info.driver() + "-" + info.index() + "-stream" + index);
  }

  // Memory.

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return allocate(promise(bytes, params));
  }

  @Override
  public DeviceMemory importHost(ByteBuffer bytes, BufferParams params) {
    budget.reserve(bytes.capacity());
    return allocate(new TwinMemory(this, memories.getAndIncrement(), bytes.capacity(), bytes));
  }

  private TwinMemory allocate(TwinMemory memory) {
    boolean isAllocated = false;
    try {
      first.allocate(memory.number, memory.size());
      second.allocate(memory.number, memory.size());
      isAllocated = true;
      return memory;
    } finally {
      if (!isAllocated) {
        free(memory);
      }
    }
  }

  void free(TwinMemory memory) {
    memory.endAccount(budget);
    Attempt.all(List.of(() -> first.free(memory.number), () -> second.free(memory.number)));
  }

  /** Memory that {@link #alloca} allocates later on both devices. */
  TwinMemory promise(long bytes, BufferParams params) {
    budget.reserve(bytes);
    boolean isForHost = params.type() != MemoryType.DEVICE;
    TwinMemory made = null;
    try {
      made =
          new TwinMemory(
              this, memories.getAndIncrement(), bytes, isForHost ? hostMemory(bytes) : null);
      return made;
    } finally {
      if (made == null) {
        budget.giveBack(bytes);
      }
    }
  }

  private static ByteBuffer hostMemory(long bytes) {
    if (bytes > Integer.MAX_VALUE) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "%s bytes that the host may access; on a twin, a buffer has at most %s of them"
              .formatted(bytes, Integer.MAX_VALUE));
    }
    try {
      return ByteBuffer.allocateDirect((int) bytes);
    } catch (OutOfMemoryError e) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED, "cannot allocate " + bytes + " bytes: " + e.getMessage(), e);
    }
  }

  /** Allocates in stream order; returns why that has failed, or null. */
  @Nullable HalException alloca(TwinMemory memory) {
    return run(
        () -> {
          first.alloca(memory.number, memory.size());
          second.alloca(memory.number, memory.size());
          return null;
        });
  }

  /** Frees in stream order. */
  @Nullable HalException dealloca(TwinMemory memory) {
    return run(
        () -> {
          first.dealloca(memory.number);
          second.dealloca(memory.number);
          return null;
        });
  }

  /** Memory that {@link #dealloca} frees later: others may have the bytes from now on. */
  void endAccount(TwinMemory memory) {
    memory.endAccount(budget);
  }

  // Kernels.

  @Override
  public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
    if (source.isOverlay()) {
      throw new HalException(
          Status.UNIMPLEMENTED,
          "both devices choose among variants themselves, for which the bundle needs one of its own");
    }
    int number = bundles.getAndIncrement();
    boolean isLoaded = false;
    try {
      Executable loaded = first.load(number, source);
      if (!loaded.format().equals(variant.format())) { // the engine says what was loaded
        throw new HalException(
            Status.UNIMPLEMENTED, names.get(0) + " prefers the variant " + loaded.format());
      }
      loaded = second.load(number, source);
      isLoaded = true;
      return new TwinModule(this, number, loaded.globals());
    } finally {
      if (!isLoaded) {
        unload(number);
      }
    }
  }

  /** How many workgroups of a cooperative kernel both devices hold. */
  long residentWorkgroups(int bundle, int kernel) {
    return Math.min(
        first.residentWorkgroups(bundle, kernel), second.residentWorkgroups(bundle, kernel));
  }

  @Override
  public String noCooperation() {
    return "cannot run it: one of the two devices lacks cooperative dispatches";
  }

  @Override
  public DeviceMemory global(KernelModule module, int index) {
    TwinModule loaded = (TwinModule) module;
    Global global = loaded.globals.get(index);
    int number = memories.getAndIncrement();
    first.global(number, loaded.number, global.name());
    second.global(number, loaded.number, global.name());
    return TwinMemory.ofGlobal(this, number, global.bytes());
  }

  void unload(int bundle) {
    Attempt.all(List.of(() -> first.unload(bundle), () -> second.unload(bundle)));
  }

  // Commands.

  /** What is done on both devices. */
  private interface Action {
    /** Does it; returns why the operation fails, or null. */
    @Nullable HalException run() throws InterruptedException;
  }

  /** Runs a command on both devices; returns why it has failed, or null. */
  @Nullable HalException run(TwinCommand command) {
    return run(
        () -> {
          command.enter(first, second);
          HalException difference = null;
          command.run(first, second);
          if (command.dispatch() != null) {
            difference = compare(command.dispatch());
          }
          command.leave(first);
          return difference;
        });
  }

  /** Fills new memory; in {@link #run(Action)}. */
  void fillFresh(TwinMemory memory) {
    first.fillFresh(memory.number, Elements.FRESH[0]);
    second.fillFresh(memory.number, fresh);
  }

  /** In {@link #run(Action)}. */
  private @Nullable HalException compare(Dispatch dispatch) throws InterruptedException {
    Comparison.Compared compared = comparison.run(dispatches++, dispatch, hasNoise);
    Finding finding = compared.finding();
    return finding == null ? null : difference(finding, compared.kernel());
  }

  private synchronized @Nullable HalException run(Action action) {
    String before = HostWaits.allow(); // nothing else uses the two devices
    try {
      @Nullable HalException[] failure = {null};
      Throwable thrown =
          Attempt.ofThrowing(
              () -> {
                failure[0] = action.run();
                first.await();
                second.await();
              });
      if (thrown == null) {
        return failure[0];
      }
      recover();
      if (thrown instanceof InterruptedException) {
        Thread.currentThread().interrupt();
        return new HalException(Status.CANCELLED, "a thread of a twin was interrupted", thrown);
      }
      return Attempt.aborted("a command of a twin threw ", thrown);
    } finally {
      HostWaits.restore(before);
    }
  }

  /** Goes on after a failure, which is over on both devices then. */
  private void recover() {
    for (Side side : List.of(first, second)) {
      Throwable unused =
          Attempt.ofThrowing(side::recover); // if it is lost, the next command says so
    }
  }

  private HalException difference(Finding finding, Kernel kernel) {
    return new HalException(
        Status.ABORTED,
        "dispatch %s, %s, differs on %s (%s) and %s (%s): %s"
            .formatted(
                finding.number(),
                kernel,
                names.get(0),
                finding.firstFormat(),
                names.get(1),
                finding.secondFormat(),
                String.join("; ", finding.lines(kernel, Map.of()))));
  }

  @Override
  public void close() {
    String before = HostWaits.allow();
    try {
      Attempt.all(List.of(first::close, second::close));
    } finally {
      HostWaits.restore(before);
    }
  }
}
