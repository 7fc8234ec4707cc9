package org.jhal.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.IdentityHashMap;
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
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a command buffer, and what they use. Commands are checked once, when they are
 * recorded; what slots must offer is added up on the way, so that a submission costs the number of
 * slots, not the number of commands.
 *
 * <p>Recorded by one thread at a time; constant from {@link #end} on, and then thread-safe.
 */
final class Recording extends RefCounted {
  /** What all commands together ask of a slot. */
  private static final class SlotNeeds {
    long bytes; // up to here it is used
    int alignment = 1; // of what is bound, in its memory
    final Set<BufferUsage> usages = EnumSet.noneOf(BufferUsage.class);
    int usageBits; // the same, for a check that allocates nothing
  }

  private final EngineDevice<?> device;
  private final boolean isOneShot;
  private final RecordedCommands commands = new RecordedCommands();
  private final List<@Nullable SlotNeeds> slots = new ArrayList<>();
  private final List<RecordedCommand> slotCopies =
      new ArrayList<>(); // whose overlap shows with a table only
  private final Set<RefCounted> retained = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<BufferStorage> transients =
      new ArrayList<>(); // of these, checked at each issue
  private final AtomicBoolean isSubmitted = new AtomicBoolean();
  private volatile boolean isEnded; // publishes all of the above
  private @Nullable RecordingOwner owner; // set once, before anybody else knows this
  private volatile int weight = -1; // of all commands; negative until it was asked for

  Recording(EngineDevice<?> device, boolean isOneShot) {
    this.device = device;
    this.isOneShot = isOneShot;
  }

  EngineDevice<?> device() {
    return device;
  }

  /** Has an owner from here on, whose reference is the first. */
  void setOwner(RecordingOwner newOwner) {
    owner = newOwner;
  }

  /** No command comes any more. */
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

  void add(RecordedCommand command, boolean hasEffect) {
    // A command without effect still names buffers; they are not kept, and its slots need nothing.
    if (!hasEffect) {
      return;
    }
    command.visit(this::note);
    if (command.kind() == Command.Kind.DISPATCH) {
      retain(command.kernel().executable());
    }
    if (command.kind() == Command.Kind.COPY
        && (command.source().isSlot() || command.target().isSlot())) {
      slotCopies.add(command);
    }
    commands.add(command);
  }

  private void note(RecordedOperand operand, BufferUsage usage, int alignment) {
    if (operand.isSlot()) {
      while (slots.size() <= operand.slot) {
        slots.add(null);
      }
      SlotNeeds needs = slots.get(operand.slot);
      if (needs == null) {
        needs = new SlotNeeds();
        slots.set(operand.slot, needs);
      }
      long length = RecordedCommand.isOpenEnded(operand) ? 0 : operand.length;
      needs.bytes = Math.max(needs.bytes, operand.offset + length);
      needs.alignment = Math.max(needs.alignment, alignment);
      needs.usages.add(usage);
      needs.usageBits |= 1 << usage.ordinal();
    } else if (retain(operand.storage()) && operand.storage().isTransient) {
      transients.add(operand.storage());
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

  RecordedCommands commands() {
    return commands;
  }

  /** What the commands take of the capacity of a stream, the same for all streams of the device. */
  int weight(NativeStream<?> stream) {
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

  int slotCount() {
    return slots.size();
  }

  /**
   * Checks that it may be submitted with {@code table}, and takes a reference for the submission.
   * The buffers of the slots that are used are put into {@code bindings}; their storages are not
   * retained.
   *
   * @param bindings at least {@link #slotCount()} long
   */
  void retainForSubmission(BindingTable table, @Nullable EngineBuffer[] bindings) {
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
    if (!tryRetain()) {
      throw new HalException(Status.FAILED_PRECONDITION, "command buffer is closed");
    }
  }

  /**
   * Counts a submission.
   *
   * @throws HalException FAILED_PRECONDITION if it was the last one before
   */
  void countSubmission() {
    if (!isSubmitted.compareAndSet(false, true) && isOneShot) {
      throw new HalException(
          Status.FAILED_PRECONDITION, "one-shot command buffer was submitted before");
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

  /** Says what is wrong with a binding; in full, which is not for the hot path. */
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
    EngineBuffer buffer = Validation.buffer(device, "slot " + slot, bound);
    Validation.usage("slot " + slot, buffer, needs.usages);
    if (needs.bytes > buffer.size()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "slot "
              + slot
              + ": the commands need "
              + needs.bytes
              + " bytes, "
              + buffer
              + " is bound");
    }
    Validation.multiple(
        "slot " + slot + ": offset of the bound buffer", buffer.offset, needs.alignment);
    return buffer;
  }

  private static void checkCopy(RecordedCommand copy, @Nullable EngineBuffer[] bindings) {
    RecordedOperand source = copy.source();
    RecordedOperand target = copy.target();
    if (storage(source, bindings) == storage(target, bindings)) {
      Validation.disjoint(offset(source, bindings), offset(target, bindings), source.length);
    }
  }

  private static BufferStorage storage(RecordedOperand operand, @Nullable EngineBuffer[] bindings) {
    return operand.isSlot()
        ? Objects.requireNonNull(bindings[operand.slot]).storage
        : operand.storage();
  }

  private static long offset(RecordedOperand operand, @Nullable EngineBuffer[] bindings) {
    return operand.offset
        + (operand.isSlot() ? Objects.requireNonNull(bindings[operand.slot]).offset : 0);
  }

  /**
   * Checks that the memory of allocas that commands name directly is there: FAILED_PRECONDITION if
   * not (rule M1).
   */
  void checkTransients() {
    for (int i = 0; i < transients.size(); i++) {
      transients.get(i).memory();
    }
  }

  @Override
  protected void destroy() {
    device.resources().remove(Objects.requireNonNull(owner));
    for (RefCounted resource : retained) {
      resource.release();
    }
  }
}
