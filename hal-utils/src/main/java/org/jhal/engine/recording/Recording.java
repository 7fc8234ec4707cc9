// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.recording;

import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jhal.BindingTable;
import org.jhal.BufferUsage;
import org.jhal.DeviceBuffer;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.NativeStream;
import org.jhal.driver.PreparedCommands;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owned;
import org.jhal.engine.concurrent.RefCounted;
import org.jhal.engine.memory.BufferStorage;
import org.jhal.engine.memory.EngineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a command buffer, and the resources that they use. Commands are checked once,
 * when they are recorded. That also collects the requirements of each slot, so checking a
 * submission takes time proportional to the slots, not to the commands.
 *
 * <p>Recorded by one thread at a time. Constant and thread-safe from {@link #end} on.
 */
public final class Recording extends Owned implements CommandList {
  /** The requirements of all commands on a slot. */
  private static final class SlotNeeds {
    long bytes; // the smallest allowed size of the bound buffer
    int alignment = 1; // of the bound buffer's offset
    final Set<BufferUsage> usages = EnumSet.noneOf(BufferUsage.class);
    int usageBits; // `usages` as bits, for a check that allocates nothing
  }

  private final DeviceCore<?> device;
  private final boolean isOneShot;
  private final List<RecordedCommand> commands = new ArrayList<>();
  private final List<@Nullable SlotNeeds> slots = new ArrayList<>();
  // Copies whose overlap can only be checked with a binding table.
  private final List<RecordedCommand> slotCopies = new ArrayList<>();

  private boolean hasIndirect; // dispatches
  private int numbered; // commands other than barriers

  private final Set<RefCounted> retained = Sets.newIdentityHashSet();

  // The storages in `retained` from allocas. Each issue checks their memory.
  private final List<BufferStorage> transients = new ArrayList<>();

  // The storages in `retained` that stand for others. Each submission holds their devices.
  private final List<BufferStorage> peers = new ArrayList<>();

  private final AtomicBoolean isSubmitted = new AtomicBoolean();
  private final AtomicBoolean isSubmittedAgain = new AtomicBoolean();

  // Written last by the recording thread, so that threads that read it see all of the above.
  private volatile boolean isEnded;

  // Set at most once, by a thread that submits the recording.
  private volatile @Nullable PreparedCommands prepared;

  // Null until it is first needed. Threads may compute it twice.
  private volatile String @Nullable [] descriptions;

  // The sum over all commands; negative until it is first needed. Threads may compute it twice.
  private volatile int weight = -1;

  Recording(DeviceCore<?> device, boolean isOneShot) {
    super(device.resources().recordings);
    this.device = device;
    this.isOneShot = isOneShot;
  }

  void end() {
    isEnded = true;
  }

  boolean isEnded() {
    return isEnded;
  }

  boolean isSubmitted() {
    return isSubmitted.get();
  }

  void addBarrier(RecordedCommand barrier) {
    commands.add(barrier);
  }

  /** Adds a command, and retains what it uses; one without effect requires nothing of that. */
  void add(RecordedCommand command, boolean hasEffect) {
    if (!hasEffect) {
      return;
    }
    command.visit(this::note);
    if (command.kind().runsKernel()) {
      retain(command.kernel().executable().loaded());
    }
    if (command.kind() == Command.Kind.COPY
        && (command.source().isSlot() || command.target().isSlot())) {
      slotCopies.add(command);
    }
    hasIndirect |= command.kind() == Command.Kind.INDIRECT_DISPATCH;
    command.setNumber(numbered++);
    commands.add(command);
  }

  private void note(RecordedOperand operand, BufferUsage usage, int alignment) {
    if (operand.isSlot()) {
      while (slots.size() <= operand.slot()) {
        slots.add(null);
      }
      SlotNeeds needs = slots.get(operand.slot());
      if (needs == null) {
        needs = new SlotNeeds();
        slots.set(operand.slot(), needs);
      }
      long length = operand.isOpenEnded() ? 0 : operand.length;
      needs.bytes = Math.max(needs.bytes, operand.offset + length);
      needs.alignment = Math.max(needs.alignment, alignment);
      needs.usages.add(usage);
      needs.usageBits |= 1 << usage.ordinal();
    } else if (retain(operand.storage())) {
      if (operand.storage().isTransient) {
        transients.add(operand.storage());
      } else if (operand.storage().peer != null) {
        peers.add(operand.storage());
      }
    }
  }

  private boolean retain(RefCounted resource) {
    if (retained.contains(resource)) {
      return false;
    }
    if (!resource.tryRetain()) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "an object that the command names was closed");
    }
    retained.add(resource);
    return true;
  }

  // Submission.

  @Override
  public int size() {
    return commands.size();
  }

  @Override
  public RecordedCommand get(int index) {
    return commands.get(index);
  }

  @Override
  public boolean hasIndirectDispatch() {
    return hasIndirect;
  }

  /** Names a command in messages. Barriers are not counted. */
  public String describe(int index) {
    String[] known = descriptions;
    if (known == null) {
      known = new String[commands.size()];
      int number = 0;
      for (int i = 0; i < known.length; i++) {
        RecordedCommand command = commands.get(i);
        number += command.kind() == Command.Kind.BARRIER ? 0 : 1;
        known[i] = "command " + number + " (" + command.describe() + ")";
      }
      descriptions = known;
    }
    return known[index];
  }

  @Override
  public @Nullable PreparedCommands prepared() {
    return prepared;
  }

  /**
   * How much of a stream's capacity the commands take up if issued now. Cheap after the first call.
   */
  public int weight(NativeStream<?> stream) {
    PreparedCommands whole = prepared;
    int asWhole = whole == null ? 0 : stream.weight(whole);
    return asWhole > 0 ? asWhole : weightOfEach(stream);
  }

  /** As {@link #weight}, for commands issued one by one; the same for all streams of the device. */
  public int weightOfEach(NativeStream<?> stream) {
    int known = weight;
    if (known < 0) {
      long sum = 0;
      for (int i = 0; i < commands.size(); i++) {
        sum += stream.weight(commands.get(i));
      }
      known = (int) Math.min(sum, Integer.MAX_VALUE / 2);
      weight = known;
    }
    return known;
  }

  public int slotCount() {
    return slots.size();
  }

  /**
   * Checks that the recording may be submitted with {@code table}, and stores the buffers of the
   * used slots in {@code bindings}. Retains nothing.
   *
   * @param bindings at least {@link #slotCount()} long
   */
  public void bind(BindingTable table, @Nullable EngineBuffer[] bindings) {
    if (!isEnded) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "command buffer is RECORDING; call end() first");
    }
    for (int i = 0; i < slots.size(); i++) {
      SlotNeeds needs = slots.get(i);
      bindings[i] = needs == null ? null : checkBinding(i, needs, table);
    }
    for (int i = 0; i < slotCopies.size(); i++) {
      checkCopy(slotCopies.get(i), bindings);
    }
  }

  /** Has the driver prepare the commands if this is not the first submission. */
  public void prepareIfReused() {
    if (isSubmitted.get()
        && !isOneShot
        && !isSubmittedAgain.get()
        && isSubmittedAgain.compareAndSet(false, true)) {
      boolean isDone = false;
      try {
        prepared = device.backend().prepare(this);
        isDone = true;
      } finally {
        isSubmittedAgain.set(isDone); // if this throws, the submission is refused
      }
    }
  }

  /**
   * Counts a submission, after all other checks.
   *
   * @throws HalException FAILED_PRECONDITION if a one-shot recording was submitted before
   */
  public void countSubmission() {
    if (!isSubmitted.compareAndSet(false, true) && isOneShot) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "one-shot command buffer was already submitted");
    }
  }

  private EngineBuffer checkBinding(int slot, SlotNeeds needs, BindingTable table) {
    if (slot < table.size()
        && table.get(slot) instanceof EngineBuffer own
        && own.storage.device == device
        && own.isOpen()
        && own.storage.allows(needs.usageBits)
        && needs.bytes <= own.size()
        && own.offset % needs.alignment == 0) {
      return own;
    }
    return refuseBinding(slot, needs, table);
  }

  /** Throws the reason why a binding is refused. Kept out of the hot path. */
  private EngineBuffer refuseBinding(int slot, SlotNeeds needs, BindingTable table) {
    if (slot >= table.size()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "binding table has " + table.size() + " slots; the command buffer uses slot " + slot);
    }
    DeviceBuffer bound = table.get(slot);
    if (bound == null) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "slot " + slot + " of the binding table is empty");
    }
    EngineBuffer buffer = EngineBuffer.usable(device, "slot " + slot, bound);
    buffer.checkUsages("slot " + slot, needs.usages);
    if (needs.bytes > buffer.size()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "slot %s: the commands need %s bytes, %s is bound".formatted(slot, needs.bytes, buffer));
    }
    Checks.multiple(
        "slot " + slot + ": offset of the bound buffer", buffer.offset, needs.alignment);
    return buffer;
  }

  private static void checkCopy(RecordedCommand copy, @Nullable EngineBuffer[] bindings) {
    RecordedOperand source = copy.source();
    RecordedOperand target = copy.target();
    if (storage(source, bindings).home() == storage(target, bindings).home()) {
      RecordedCommand.checkDisjoint(
          offset(source, bindings), offset(target, bindings), source.length);
    }
  }

  private static BufferStorage storage(RecordedOperand operand, @Nullable EngineBuffer[] bindings) {
    return operand.isSlot()
        ? Objects.requireNonNull(bindings[operand.slot()]).storage
        : operand.storage();
  }

  private static long offset(RecordedOperand operand, @Nullable EngineBuffer[] bindings) {
    return operand.offset
        + (operand.isSlot() ? Objects.requireNonNull(bindings[operand.slot()]).offset : 0);
  }

  /**
   * Checks that the memory of the allocas that the commands name directly is allocated (rule M1).
   *
   * @throws HalException FAILED_PRECONDITION if it is not
   */
  public void checkTransients() {
    for (int i = 0; i < transients.size(); i++) {
      transients.get(i).memory();
    }
  }

  /** The storages that the commands name directly and that stand for others. */
  public List<BufferStorage> peers() {
    return peers;
  }

  @Override
  protected String describe() {
    return "a command buffer of " + device.name();
  }

  @Override
  protected void unused() {
    if (prepared != null) {
      device.calls().free("what was prepared for a command buffer", this::endOnce);
    } else {
      endOnce();
    }
    for (RefCounted resource : retained) {
      resource.release();
    }
  }

  /** Ends the prepared commands: no submission is in flight. */
  @Override
  protected void endNative() {
    PreparedCommands whole = prepared;
    if (whole != null) {
      whole.close();
    }
  }
}
