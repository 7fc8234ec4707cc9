package org.jhal.engine;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import org.jhal.Args;
import org.jhal.BindingTable;
import org.jhal.BufferParams;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.ExternalWork;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Slot;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.HostThreads;
import org.jhal.driver.NativeStream;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.events.Events;
import org.jhal.engine.queue.Cascade;
import org.jhal.engine.queue.Failures;
import org.jhal.engine.queue.Operation;
import org.jhal.engine.queue.Work;
import org.jspecify.annotations.Nullable;

/**
 * The work of one operation: a single command, a command buffer with its bindings, an allocation, a
 * host call, or nothing. It captures what the user passed, and keeps that alive until the operation
 * retires (rules Q2, Q3).
 *
 * <p>Used by one thread at a time: filled in by the enqueuing thread, issued by the drainer, and
 * retired by the completion thread. {@link #endBorrow} and {@link #describe} are for any thread,
 * and so are the weights, which mean nothing once the operation has failed.
 */
final class QueueWork<E> implements Work<E>, Submission {
  private enum Kind {
    BARRIER,
    COMMAND,
    EXECUTE,
    ALLOCA,
    DEALLOCA,
    HOST_CALL,
    DEVICE_COPY,
    COLLECTIVE,
    FILE_READ,
    FILE_WRITE;

    final String word = name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static final EngineBuffer[] NO_BINDINGS = {};
  private static final RefCounted[] NO_RESOURCES = {};

  private final EngineDevice<E> device;
  private final Operation<E> operation;
  private Kind kind = Kind.BARRIER;
  private @Nullable RecordedCommand single; // the command of COMMAND
  private @Nullable Recording recording; // for EXECUTE
  private @Nullable EngineBuffer[] bindings = NO_BINDINGS; // for EXECUTE, by slot
  private int bindingCount;
  private @Nullable BufferStorage allocation; // for ALLOCA and DEALLOCA

  // The buffer of a DEALLOCA. It stays reachable until then, so that it is not reported as a leak.
  @SuppressWarnings("UnusedVariable")
  private @Nullable EngineBuffer deallocated;

  private RefCounted[] resources = NO_RESOURCES; // retained until the operation retires
  private int resourceCount;

  // The other devices whose memory is used; made when first needed. The flag says whether any is,
  // and is written by the enqueuing thread.
  private @Nullable PeerUses peerUses;
  private boolean usesPeers;

  private HostMemory.@Nullable Borrow borrow; // for an upload or a readback
  private @Nullable Collective collective; // for COLLECTIVE
  private @Nullable HostCompletion hostCompletion;
  private boolean signalsAfterHostCompletion;
  private @Nullable Runnable onEventReleased; // the user's, of an imported event
  private List<Runnable> whenFired = List.of(); // registered by the driver

  QueueWork(EngineDevice<E> device, Operation<E> operation) {
    this.device = device;
    this.operation = operation;
  }

  private RecordedCommand command() {
    RecordedCommand command = single;
    if (command == null) {
      command = new RecordedCommand();
      single = command;
    }
    return command;
  }

  // Filling in. Each method may throw; the operation is then abandoned, which retires this object.
  // Until keep() has retained a buffer, nothing but the call's arguments may keep it from being
  // reclaimed, which is why they are fenced.

  void fill(DeviceBuffer target, long offset, long length, FillPattern pattern) {
    boolean ignored = keep(command().setFill(device, target, offset, length, pattern));
    Reference.reachabilityFence(target);
  }

  void update(ByteBuffer source, DeviceBuffer target, long offset) {
    boolean ignored = keep(command().setUpdate(device, source, target, offset));
    Reference.reachabilityFence(target);
  }

  void upload(HostMemory source, DeviceBuffer target, long offset) {
    if (keep(command().setUpload(device, source, target, offset))) {
      borrow = source.borrow();
    }
    Reference.reachabilityFence(target);
  }

  void readback(DeviceBuffer source, long offset, HostMemory target) {
    if (keep(command().setReadback(device, source, offset, target))) {
      borrow = target.borrow();
    }
    Reference.reachabilityFence(source);
  }

  void copy(
      DeviceBuffer source, long sourceOffset, DeviceBuffer target, long targetOffset, long length) {
    boolean ignored =
        keep(command().setCopy(device, source, sourceOffset, target, targetOffset, length));
    Reference.reachabilityFence(source);
    Reference.reachabilityFence(target);
  }

  void dispatch(Kernel kernel, Workgroups count, Args args) {
    Objects.requireNonNull(args, "args");
    for (int i = 0; i < args.size(); i++) {
      if (args.get(i) instanceof Slot slot) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "argument " + i + " is " + slot + "; a queue's dispatch has no binding table");
      }
    }
    RecordedCommand command = command();
    boolean hasEffect = command.setDispatch(device, kernel, count, args);
    if (hasEffect) {
      retain(command.kernel().executable().loaded());
    }
    boolean ignored = keep(hasEffect);
    Reference.reachabilityFence(args);
  }

  /**
   * Retains what the command uses. A command without effect retains nothing, and its operation only
   * waits and signals (rules M2, M6). Returns {@code hasEffect}.
   */
  private boolean keep(boolean hasEffect) {
    if (!hasEffect) {
      kind = Kind.BARRIER;
      return false;
    }
    kind = Kind.COMMAND;
    RecordedCommand command = command();
    switch (command.kind()) {
      case FILL, UPDATE, UPLOAD -> retainStorage(command.target().storage());
      case READBACK -> retainStorage(command.source().storage());
      case COPY -> {
        retainStorage(command.source().storage());
        retainStorage(command.target().storage());
      }
      case DISPATCH -> {
        EngineKernel kernel = command.kernel();
        for (int i = 0; i < kernel.parameterCount(); i++) {
          if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
            retainStorage(command.argument(i).storage());
          }
        }
      }
      case EXTERNAL -> {
        for (int i = 0; i < command.external().bufferCount(); i++) {
          retainStorage(command.argument(i).storage());
        }
      }
      case BARRIER, EVENT -> {}
    }
    return true;
  }

  /** External work. It is kept by an object of its own, since a context may be kept too long. */
  void external(EngineQueue<E> queue, List<DeviceBuffer> buffers, ExternalWork work) {
    for (DeviceBuffer buffer : buffers) {
      Objects.requireNonNull(buffer, "buffers has a null");
    }
    List<DeviceBuffer> passed = List.copyOf(buffers);
    List<EngineBuffer> own = new ArrayList<>(passed.size());
    for (DeviceBuffer buffer : passed) {
      own.add(Validation.usable(device, "buffer " + own.size(), buffer));
    }
    command().setExternal(device, own, new ExternalRun(queue, passed, work));
    boolean ignored = keep(true);
    Reference.reachabilityFence(passed);
  }

  void event(long event) {
    command().setEvent(device, event);
    boolean ignored = keep(true);
  }

  /**
   * What to call when the event is not used any more. Set last: a refused call releases nothing.
   */
  void releaseEventBy(@Nullable Runnable onRelease) {
    onEventReleased = onRelease;
  }

  void execute(CommandBuffer commands, BindingTable table) {
    Objects.requireNonNull(table, "bindings");
    if (!(Objects.requireNonNull(commands, "commands") instanceof EngineCommandBuffer own)
        || own.device() != device) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "command buffer was made for "
              + Validation.namesOf(
                  device, commands instanceof EngineCommandBuffer other ? other.device() : null));
    }
    if (!own.isOpen()) {
      throw new HalException(Status.FAILED_PRECONDITION, "command buffer is closed");
    }
    Recording recorded = own.recording();
    if (bindings.length < recorded.slotCount()) {
      bindings = new @Nullable EngineBuffer[recorded.slotCount()];
    }
    // Before the bindings are checked: after a refusal, retire() clears what is in the array.
    bindingCount = recorded.slotCount();
    recorded.retainForSubmission(table, bindings);
    addResource(recorded);
    usesPeers |= !recorded.peers().isEmpty();
    recording = recorded;
    for (int i = 0; i < bindingCount; i++) {
      EngineBuffer bound = bindings[i];
      if (bound != null) {
        retainStorage(bound.storage);
      }
    }
    recorded.prepareIfReused();
    kind = Kind.EXECUTE;
    Reference.reachabilityFence(own); // or it might be reclaimed before the recording is retained
  }

  /**
   * Counts the submission of {@link #execute}. The last check of all, so that a refused one does
   * not count.
   */
  void countExecution() {
    Objects.requireNonNull(recording).countSubmission();
  }

  /** Returns the memory to be, whose first reference the caller has. */
  BufferStorage alloca(long bytes, BufferParams params) {
    device.checkAllocation(bytes, params);
    BufferStorage storage = BufferStorage.promised(device, params, bytes);
    retainStorage(storage);
    allocation = storage;
    kind = Kind.ALLOCA;
    device.resources().storages().add(storage);
    return storage;
  }

  void dealloca(DeviceBuffer buffer) {
    EngineBuffer own = Validation.buffer(device, "buffer", buffer);
    if (!own.storage.isTransient || own.isSlice()) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          own
              + " cannot be deallocated: it is "
              + (own.isSlice() ? "a slice" : "not from an alloca; close it instead"));
    }
    deallocated = own;
    retainStorage(own.storage);
    allocation = own.storage;
    kind = Kind.DEALLOCA;
  }

  void hostCall(HostCompletion call, boolean beforeSignals) {
    hostCompletion = call;
    signalsAfterHostCompletion = beforeSignals;
    kind = Kind.HOST_CALL;
  }

  /** A copy between two devices. The operation ends when {@code call} reports its completion. */
  void deviceCopy(HostCompletion call) {
    hostCompletion = call;
    signalsAfterHostCompletion = true;
    kind = Kind.DEVICE_COPY;
  }

  /** A collective of several devices. */
  void collective(Collective made) {
    if (made instanceof HostCollective host) { // the operation ends when it says so
      hostCompletion = host;
      signalsAfterHostCompletion = true;
    }
    collective = made;
    kind = Kind.COLLECTIVE;
  }

  /** The collective that it is, or null; also null once it retires, on any thread. */
  @Nullable Collective collective() {
    return collective;
  }

  @Override
  public boolean waitsOnHost() {
    Collective own = collective;
    return own != null && own.waitsOnHost();
  }

  /** A read or write of a file. The operation ends when {@code transfer} says so. */
  void file(HostCompletion transfer, boolean isRead) {
    hostCompletion = transfer;
    signalsAfterHostCompletion = true;
    kind = isRead ? Kind.FILE_READ : Kind.FILE_WRITE;
  }

  /** Keeps the memory of a buffer alive that may belong to another device. */
  void retainForeign(EngineBuffer buffer) {
    buffer.retainStorage();
    addResource(buffer.storage);
    usesPeers |= buffer.storage.peer != null;
  }

  private void retainStorage(BufferStorage storage) {
    retain(storage);
    usesPeers |= storage.peer != null;
  }

  private void retain(RefCounted resource) {
    if (!resource.tryRetain()) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "an object that the operation uses was closed");
    }
    addResource(resource);
  }

  private void addResource(RefCounted resource) {
    if (resourceCount == resources.length) {
      resources = Arrays.copyOf(resources, Math.max(4, 2 * resourceCount));
    }
    resources[resourceCount++] = resource;
  }

  // Work.

  @Override
  public int weight(NativeStream<E> stream) {
    return switch (kind) {
      case COMMAND -> stream.weight(command());
      case EXECUTE -> {
        Recording recorded = recording; // null if the operation has failed, and retires meanwhile
        yield recorded == null ? 1 : recorded.weight(stream);
      }
      case COLLECTIVE -> {
        Collective own = collective; // as above
        yield own == null ? 1 : own.weight();
      }
      default -> 1;
    };
  }

  @Override
  public boolean weightMayChange() {
    Recording recorded = recording;
    return recorded != null && recorded.isPrepared();
  }

  @Override
  public int weightOfEach(NativeStream<E> stream) {
    Recording recorded = recording;
    return recorded == null ? 1 : recorded.weightOfEach(stream);
  }

  @Override
  public boolean mayBlock(NativeStream<E> stream) {
    if (usesPeers && !areEnabled()) {
      return true;
    }
    return switch (kind) {
      // External work is the program's, and may take any time.
      case COMMAND, EXECUTE ->
          (kind == Kind.COMMAND && command().kind() == Command.Kind.EXTERNAL)
              || stream.issueMayBlock(commands());
      case ALLOCA -> stream.allocMayBlock(Objects.requireNonNull(allocation).params);
      // What it holds and schedules must not depend on how much stack a user's thread has left.
      case COLLECTIVE -> true;
      default -> false;
    };
  }

  /** Whether the memory of all other devices that is used can be used already. */
  private boolean areEnabled() {
    for (int i = 0; i < resourceCount; i++) {
      if (resources[i] instanceof BufferStorage storage
          && storage.peer != null
          && !isEnabled(storage)) {
        return false;
      }
    }
    Recording recorded = recording;
    return recorded == null || recorded.peers().stream().allMatch(this::isEnabled);
  }

  private boolean isEnabled(BufferStorage storage) {
    EngineDevice<?> owner = storage.home().device;
    return owner == device || storage.device != device || device.peers().isEnabled(owner);
  }

  /** Holds the other devices whose memory is used. For the drainer, with the device bound. */
  private void usePeers() {
    PeerUses uses = peerUses;
    if (uses == null) {
      uses = new PeerUses(device);
      peerUses = uses;
    }
    boolean isPart = operation.servesCopy();
    for (int i = 0; i < resourceCount; i++) {
      if (resources[i] instanceof BufferStorage storage && storage.peer != null) {
        uses.begin(storage, isPart);
      }
    }
    if (recording != null) {
      for (BufferStorage storage : recording.peers()) {
        uses.begin(storage, isPart);
      }
    }
  }

  private CommandList commands() {
    Recording recorded = recording;
    return recorded == null ? Objects.requireNonNull(single) : recorded.commands();
  }

  /** Whether the stream gets something that may involve another device. */
  private boolean mayGoAcross() {
    if (kind == Kind.COLLECTIVE) { // which keeps others away by itself
      return false;
    }
    // Nobody says of which device an imported event is.
    return usesPeers || kind == Kind.COMMAND && command().kind() == Command.Kind.EVENT;
  }

  @Override
  public void issue(NativeStream<E> stream, Operation<E> owner) {
    if (!mayGoAcross()) {
      issue(stream);
    } else if (!stream.across(owner.mayBlock(), () -> issue(stream))) {
      owner.leaveToIssueThread();
    }
  }

  private void issue(NativeStream<E> stream) {
    if (usesPeers) {
      usePeers();
    }
    switch (kind) {
      case BARRIER, HOST_CALL, DEVICE_COPY, FILE_READ, FILE_WRITE -> {}
      case COLLECTIVE -> {
        Collective own = Objects.requireNonNull(collective);
        try {
          checkMemory();
          own.issue(stream);
        } catch (Throwable t) {
          own.refuse(own.named(Failures.of(t))); // or a close would wait for it to begin
          throw t;
        }
      }
      case COMMAND, EXECUTE -> {
        checkMemory();
        stream.issue(commands(), this);
      }
      case ALLOCA -> {
        BufferStorage storage = Objects.requireNonNull(allocation);
        Validation.allocation(device, storage.size, storage.params);
        storage.commit(stream.allocAsync(storage.size, storage.params, this));
      }
      case DEALLOCA -> {
        BufferStorage storage = Objects.requireNonNull(allocation);
        DeviceMemory memory = storage.beginDealloca();
        try {
          stream.freeAsync(memory);
        } catch (Throwable t) {
          storage.undoDealloca();
          throw t;
        }
        storage.endDealloca();
      }
    }
  }

  /**
   * Checks that all memory is allocated (rule M1). If not, the operation fails before anything
   * reaches the stream.
   */
  private void checkMemory() {
    for (int i = 0; i < resourceCount; i++) {
      if (resources[i] instanceof BufferStorage storage) {
        storage.memory();
      }
    }
    if (recording != null) {
      recording.checkTransients();
    }
  }

  @Override
  public @Nullable HostCompletion hostCompletion() {
    return hostCompletion;
  }

  @Override
  public boolean signalsAfterHostCompletion() {
    return signalsAfterHostCompletion;
  }

  @Override
  public HostThreads hostThreads() {
    return switch (kind) {
      case HOST_CALL -> device.hostCalls();
      case FILE_READ, FILE_WRITE -> device.fileThreads();
      default -> device.copyThreads();
    };
  }

  @Override
  public boolean endsWithHostCompletion() {
    return switch (kind) {
      case HOST_CALL, DEVICE_COPY, COLLECTIVE, FILE_READ, FILE_WRITE -> false; // may be deferred
      default -> true;
    };
  }

  @Override
  public void endBorrow() {
    HostMemory.Borrow ended = borrow;
    if (ended != null) {
      Cascade cascade = Cascade.current();
      String before = cascade.enterCallback("a callback");
      try {
        ended.end();
      } finally {
        cascade.leaveCallback(before);
      }
    }
  }

  @Override
  public void endUses() {
    if (peerUses != null) {
      peerUses.end();
    }
    Collective own = collective;
    if (own != null) {
      own.endUses();
    }
  }

  @Override
  public void failedBehindGone() {
    Collective own = collective;
    HalException failure = operation.failure();
    if (own != null && failure != null) {
      own.fail(failure);
    }
  }

  @Override
  public @Nullable HalException findLossElsewhere() {
    PeerUses uses = peerUses;
    return uses == null ? null : uses.findLoss();
  }

  @Override
  public void retire(Consumer<RefCounted> releases) {
    try {
      letGo(releases);
    } finally {
      endUses();
    }
  }

  private void letGo(Consumer<RefCounted> releases) {
    usesPeers = false;
    endBorrow();
    borrow = null;
    for (Runnable release : whenFired) {
      device.calls().quietly("giving back what an operation has used", release);
    }
    Runnable released = onEventReleased;
    if (released != null) {
      onEventReleased = null;
      BufferStorage.runOnRelease(released, "events");
    }
    HostCompletion ended = hostCompletion;
    Collective over = collective;
    int count = resourceCount;
    Arrays.fill(bindings, 0, bindingCount, null);
    bindingCount = 0;
    if (single != null) {
      single.clear();
    }
    recording = null;
    allocation = null;
    deallocated = null;
    collective = null;
    hostCompletion = null;
    resourceCount = 0;
    try {
      if (over != null) {
        over.retire();
      } else if (ended != null) {
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

  @Override
  public String kind() {
    return kind == Kind.COMMAND ? command().kind().word() : kind.word;
  }

  @Override
  public long kernel() {
    EngineKernel kernel = kind == Kind.COMMAND ? command().kernelIfThere() : null;
    return kernel == null ? 0 : kernel.number();
  }

  @Override
  public int commandCount() {
    Recording recorded = recording;
    return recorded != null ? recorded.commands().size() : kind == Kind.COMMAND ? 1 : 0;
  }

  @Override
  public String describe() {
    Collective described = collective;
    if (described != null) {
      return described.toString();
    }
    if (kind == Kind.HOST_CALL && hostCompletion instanceof HostCallRun<?> run) {
      return run.describe();
    }
    if (kind != Kind.COMMAND) {
      return kind.word;
    }
    RecordedCommand command = command();
    String word = command.kind().word();
    EngineKernel kernel = command.kernelIfThere();
    return command.kind() == Command.Kind.DISPATCH && kernel != null
        ? word + " of " + kernel
        : word;
  }

  // Submission.

  @Override
  public DeviceMemory memory(Operand operand) {
    RecordedOperand own = own(operand);
    return (own.isSlot() ? bound(own).storage : own.storage()).memory();
  }

  @Override
  public long offset(Operand operand) {
    RecordedOperand own = own(operand);
    return own.isSlot() ? bound(own).offset + own.offset : own.offset;
  }

  @Override
  public long length(Operand operand) {
    RecordedOperand own = own(operand);
    return own.isOpenEnded() ? bound(own).size() - own.offset : own.length;
  }

  private static RecordedOperand own(Operand operand) {
    return (RecordedOperand) operand; // there is no other kind
  }

  private EngineBuffer bound(RecordedOperand operand) {
    return Objects.requireNonNull(bindings[operand.slot]);
  }

  @Override
  public boolean waitsReached() {
    return operation.waitsReached();
  }

  @Override
  public boolean hasRoomForEach() {
    return operation.hasRoomForEach();
  }

  @Override
  public void putBack() {
    operation.putBack();
  }

  @Override
  public boolean wasPutBack() {
    return operation.isPutBack();
  }

  @Override
  public boolean mayBlock() {
    return operation.mayBlock();
  }

  @Override
  public void inBackground(Runnable work) {
    device.inBackground(recording, work);
  }

  @Override
  public boolean isTimed() {
    return operation.isTimed();
  }

  /** Throws nothing: whoever measures has work to end. */
  @Override
  public void ranOnDevice(long begin, long end, long error) {
    try {
      if (Events.recordsExecutions()) {
        Events.execution(operation.queue.number(), operation.key, begin, end, error);
      }
    } catch (Throwable exhausted) {
      return; // a record is lost, and not the operation
    }
  }

  @Override
  public void moves(Command command, TransferPath path) {
    if (Events.recordsTransfers()) {
      Events.transfer(
          operation.queue.number(),
          operation.key,
          command.host().size(),
          command.kind() == Command.Kind.UPLOAD ? "to device" : "to host",
          path.word());
    }
  }

  @Override
  public void fail(HalException failure) {
    operation.failOwnWork(failure);
  }

  @Override
  public void afterwards(HostCompletion next) {
    if (hostCompletion != null) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "a submission takes one host completion, and has it already");
    }
    hostCompletion = next;
    signalsAfterHostCompletion = true;
  }

  @Override
  public void whenFired(Runnable release) {
    Objects.requireNonNull(release, "release");
    if (whenFired.isEmpty()) {
      whenFired = new ArrayList<>(1);
    }
    whenFired.add(release);
  }
}
