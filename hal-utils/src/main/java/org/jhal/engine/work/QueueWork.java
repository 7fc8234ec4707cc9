// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.work;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.HostThreads;
import org.jhal.driver.NativeStream;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.flightrecorder.FlightRecorder;
import org.jhal.engine.hazard.RecordedOperation;
import org.jhal.engine.journal.IssuedOperation;
import org.jhal.engine.journal.Journal;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineBuffer;
import org.jhal.engine.queue.Batch;
import org.jhal.engine.queue.Enqueuer;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.queue.Work;
import org.jhal.engine.recording.RecordedCommand;
import org.jhal.engine.recording.RecordedOperand;
import org.jspecify.annotations.Nullable;

/**
 * The work of one operation, whatever its kind. It keeps alive what the user passed until the
 * operation retires (rules Q2, Q3), holds the other devices whose memory it uses, and is the
 * submission that a driver sees.
 *
 * <p>It is begun, filled in and submitted in a {@code try} block on the enqueuing thread. An
 * exception before the submission refuses the call, and {@link #close} then abandons the operation.
 * Later one thread at a time uses it: the drainer issues it, and the completion thread or its
 * deputy retires it. Any thread may call {@link #endBorrow}, {@link #describe} and the weights;
 * these mean nothing once the operation has failed.
 */
public abstract class QueueWork<E> implements Work<E>, Submission, AutoCloseable {
  private static final RefCounted[] NO_RESOURCES = {};

  final DeviceCore<E> device;
  private @Nullable Enqueuer<E> queue; // set by begin(), as is the next field
  private @Nullable Operation<E> operation;

  private RefCounted[] resources = NO_RESOURCES; // retained until the operation retires
  private int resourceCount;

  // Null if no memory of other devices is used, or no more. Written by the enqueuing thread.
  private @Nullable PeerUses peerUses;

  private @Nullable HostCompletion hostCompletion;
  private boolean signalsAfterHostCompletion;
  private List<Runnable> whenFired = List.of(); // registered by the driver
  private Journal.@Nullable Entry entry; // in the record of the device; set by the drainer

  public QueueWork(DeviceCore<E> device) {
    this.device = device;
  }

  // Enqueueing.

  /** Begins its operation; see {@link Enqueuer#begin}. Called once. */
  public final void begin(Enqueuer<E> on, boolean servesCopy) {
    queue = on;
    operation = on.begin(this, servesCopy);
  }

  public final Operation<E> operation() {
    return Objects.requireNonNull(operation);
  }

  /** See {@link Enqueuer#capture}. */
  public final void capture(Fence waits, Fence signals) {
    Objects.requireNonNull(queue).capture(operation(), waits, signals);
  }

  /** Submits what was captured. */
  public final void submitCaptured() {
    Objects.requireNonNull(queue).submit(operation());
  }

  public final void submit(Fence waits, Fence signals) {
    capture(waits, signals);
    submitCaptured();
  }

  /** Abandons the operation unless it was accepted. */
  @Override
  public final void close() {
    Enqueuer<E> on = queue;
    Operation<E> begun = operation;
    if (on != null && begun != null) {
      try {
        if (begun.key == 0) {
          refused();
          on.abandon(begun);
        }
      } finally {
        on.endEnqueue();
      }
    }
  }

  /** Called if the call is refused, before the operation is abandoned. */
  void refused() {}

  // What it uses.

  /** Keeps alive the memory of a buffer, which may belong to another device. */
  public final void retainForeign(EngineBuffer buffer) {
    BufferStorage storage = buffer.storage;
    notePeer(storage);
    reserve();
    buffer.retainStorage();
    resources[resourceCount++] = storage; // no call: an overflow would leak the reference
  }

  /** Makes a storage that stands for that of another device's buffer, and keeps it alive. */
  public final BufferStorage standIn(EngineBuffer buffer) {
    reserve();
    BufferStorage made = buffer.standIn(device);
    resources[resourceCount++] = made; // no call, as above
    notePeer(made);
    return made;
  }

  final void retainStorage(BufferStorage storage) {
    notePeer(storage);
    retain(storage, "an object that the operation uses was closed");
  }

  /**
   * Keeps a resource alive until the operation retires.
   *
   * @param closed the message if it is closed
   */
  final void retain(RefCounted resource, String closed) {
    reserve();
    if (!resource.tryRetain()) {
      throw new HalException(Status.FAILED_PRECONDITION, closed);
    }
    resources[resourceCount++] = resource; // no call, as above
  }

  private void reserve() {
    if (resourceCount == resources.length) {
      resources = Arrays.copyOf(resources, Math.max(4, 2 * resourceCount));
    }
  }

  private void notePeer(BufferStorage storage) {
    if (storage.peer != null) {
      peerUses().add(storage);
    }
  }

  /** The other devices' memory that it uses, to be added to. */
  final PeerUses peerUses() {
    PeerUses uses = peerUses;
    if (uses == null) {
      uses = new PeerUses(device);
      peerUses = uses;
    }
    return uses;
  }

  /** Checks that all memory is allocated (rule M1), before anything reaches the stream. */
  protected void checkMemory() {
    for (int i = 0; i < resourceCount; i++) {
      if (resources[i] instanceof BufferStorage storage) {
        storage.memory();
      }
    }
  }

  // Issuing.

  @Override
  public final boolean mayBlock(NativeStream<E> stream) {
    PeerUses uses = peerUses;
    return (uses != null && !uses.areEnabled()) || issueMayBlock(stream);
  }

  /** Whether only the issue thread may issue it, other devices' memory aside. */
  protected boolean issueMayBlock(NativeStream<E> stream) {
    return false;
  }

  /** Whether issuing it may involve another device. */
  protected boolean mayGoAcross() {
    return peerUses != null;
  }

  @Override
  public final @Nullable Throwable issue(
      NativeStream<E> stream, Batch<E> batch, Operation<E> owner) {
    if (!mayGoAcross()) {
      return issueHolding(stream, batch);
    }
    Throwable[] failure = new Throwable[1];
    if (!stream.across(owner.mayBlock(), () -> failure[0] = issueHolding(stream, batch))) {
      owner.leaveToIssueThread();
    }
    return failure[0];
  }

  private @Nullable Throwable issueHolding(NativeStream<E> stream, Batch<E> batch) {
    PeerUses uses = peerUses;
    if (uses != null) {
      uses.begin(operation().servesCopy);
    }
    Journal journal = device.journal();
    if (journal != null && entry == null) { // else it was put back, and is recorded already
      entry = journal.issuing(forJournal());
    }
    return issue(stream, batch);
  }

  private IssuedOperation forJournal() {
    Operation<E> own = operation();
    return new IssuedOperation(
        own.queue.name(),
        own.key,
        kind(),
        own.numberedWaits(),
        own.numberedSignals(),
        commands(),
        this,
        own.waitsReached(),
        own.servesCopy,
        isUnseen());
  }

  /** The commands that it issues, for the record of the device; null if it issues none. */
  protected @Nullable CommandList commands() {
    return null;
  }

  /** Whether it changes memory by other means than its {@link #commands}. */
  protected boolean isUnseen() {
    return false;
  }

  @Override
  public final void ending(@Nullable HalException failure) {
    Journal.Entry recorded = entry;
    if (recorded != null) {
      recorded.ending(failure);
    }
    if (failure != null) {
      failing();
    }
  }

  /**
   * The operation has failed, and its signals will. Called by each thread that fails them, maybe
   * while another one issues the operation on a device that is lost.
   */
  protected void failing() {}

  /** Issues the work as {@link Work#issue} does, with the other devices held. */
  protected abstract @Nullable Throwable issue(NativeStream<E> stream, Batch<E> batch);

  // The host's part.

  /**
   * Sets the host's part, which begins when the native work is complete.
   *
   * @param beforeSignals whether the signals wait for it
   */
  public final void completeOnHost(HostCompletion completion, boolean beforeSignals) {
    hostCompletion = completion;
    signalsAfterHostCompletion = beforeSignals;
  }

  @Override
  public final @Nullable HostCompletion hostCompletion() {
    return hostCompletion;
  }

  @Override
  public final boolean signalsAfterHostCompletion() {
    return signalsAfterHostCompletion;
  }

  @Override
  public HostThreads hostThreads() {
    return device.pools().copyThreads();
  }

  // For the record of hazards.

  @Override
  public void record(RecordedOperation recorded) {
    if (device.findsHazards()) {
      recordUses(recorded);
    }
  }

  @Override
  public final void reportHazard(String text) {
    device.reportHazard(text);
  }

  @Override
  public final boolean failsByHazard() {
    return device.failsByHazards();
  }

  /** Says what memory it touches. */
  protected void recordUses(RecordedOperation recorded) {}

  final void recordUses(RecordedOperation recorded, RecordedCommand command) {
    command.uses(
        (operand, use, name) -> {
          EngineBuffer bound = operand.isSlot() ? bound(operand) : null;
          BufferStorage storage = bound == null ? operand.storage() : bound.storage;
          long from = offset(operand);
          recorded.touches(storage.touched(), from, from + length(operand), use, name);
        });
  }

  // How it ends.

  @Override
  public final @Nullable HalException findLossElsewhere() {
    PeerUses uses = peerUses;
    return uses == null ? null : uses.findLoss();
  }

  @Override
  public final void retire(Consumer<RefCounted> releases) {
    try {
      endBorrow();
      for (Runnable release : whenFired) {
        device.calls().quietly("releasing an operation's resources", release);
      }
      letGo(releases);
    } finally {
      PeerUses uses = peerUses;
      if (uses != null) {
        peerUses = null;
        uses.end();
      }
    }
  }

  private void letGo(Consumer<RefCounted> releases) {
    int count = resourceCount;
    resourceCount = 0;
    try {
      retired();
      HostCompletion ended = hostCompletion;
      hostCompletion = null;
      if (ended != null) {
        ended.retire();
      }
    } finally {
      for (int i = 0; i < count; i++) {
        RefCounted resource = resources[i];
        resources[i] = null;
        releases.accept(resource);
      }
    }
  }

  /**
   * Drops the references to users' objects when the operation has retired, so that these can be
   * collected before the operation.
   */
  protected void retired() {}

  // Submission.

  @Override
  public final DeviceMemory memory(Operand operand) {
    RecordedOperand own = own(operand);
    return (own.isSlot() ? bound(own).storage : own.storage()).memory();
  }

  @Override
  public final long offset(Operand operand) {
    RecordedOperand own = own(operand);
    return own.isSlot() ? bound(own).offset + own.offset : own.offset;
  }

  @Override
  public final long length(Operand operand) {
    RecordedOperand own = own(operand);
    return own.isOpenEnded() ? bound(own).size() - own.offset : own.length;
  }

  private static RecordedOperand own(Operand operand) {
    return (RecordedOperand) operand; // there is no other kind
  }

  EngineBuffer bound(RecordedOperand operand) {
    throw new IllegalStateException("slot " + operand.slot() + " without a binding table");
  }

  @Override
  public final boolean waitsReached() {
    return operation().waitsReached();
  }

  @Override
  public final boolean hasRoomForEach() {
    return operation().hasRoomForEach();
  }

  @Override
  public final void putBack() {
    operation().putBack();
  }

  @Override
  public final boolean wasPutBack() {
    return operation().isPutBack();
  }

  @Override
  public final boolean mayBlock() {
    return operation().mayBlock();
  }

  @Override
  public final void inBackground(Runnable work) {
    device.pools().inBackground(List.of(Arrays.copyOf(resources, resourceCount)), work);
  }

  @Override
  public final boolean isTimed() {
    return operation().isTimed();
  }

  @Override
  public final boolean timesCommands() {
    return operation().timesCommands();
  }

  /** Throws nothing: the measuring thread must end the work. */
  @Override
  public final void ranOnDevice(long begin, long end, long error) {
    try {
      if (FlightRecorder.recordsExecutions()) {
        FlightRecorder.execution(operation().queue.number(), operation().key, begin, end, error);
      }
    } catch (RuntimeException | LinkageError | VirtualMachineError exhausted) {
      return; // without memory or stack, the record is lost, not the operation
    }
  }

  @Override
  public final void moves(Command command, TransferPath path) {
    boolean isUpload = command.kind() == Command.Kind.UPLOAD;
    long bytes = command.host().size();
    long unused =
        (isUpload ? device.resources().uploaded : device.resources().readBack).addAndGet(bytes);
    if (FlightRecorder.recordsTransfers()) {
      FlightRecorder.transfer(
          operation().queue.number(),
          operation().key,
          bytes,
          isUpload ? "to device" : "to host",
          path.word());
    }
  }

  @Override
  public final void fail(HalException failure) {
    operation().failOwnWork(failure);
  }

  @Override
  public final void afterwards(HostCompletion next) {
    if (hostCompletion != null) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "a submission takes one host completion and already has one");
    }
    completeOnHost(next, true);
  }

  @Override
  public final void whenFired(Runnable release) {
    Objects.requireNonNull(release, "release");
    if (whenFired.isEmpty()) {
      whenFired = new ArrayList<>(1);
    }
    whenFired.add(release);
  }
}
