// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.recording;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BufferRef;
import org.jhal.BufferUsage;
import org.jhal.FillPattern;
import org.jhal.HalException;
import org.jhal.HostMemory;
import org.jhal.IndirectWorkgroups;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.ExternalCall;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.hazard.ProgramLine;
import org.jhal.engine.hazard.Use;
import org.jhal.engine.kernel.Constants;
import org.jhal.engine.kernel.EngineKernel;
import org.jhal.engine.memory.EngineBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The engine's implementation of {@link Command}, checked against the contract, and at the same
 * time the list of this one command.
 *
 * <p>Constant while recorded or submitted; otherwise owned by one thread.
 */
public final class RecordedCommand implements Command, CommandList {
  private static final RecordedOperand[] NO_OPERANDS = {};
  private static final byte[] NO_BYTES = {};
  private static final String COUNTS = "workgroup counts";

  private Kind kind = Kind.BARRIER;
  private @Nullable RecordedOperand source; // of readbacks, copies and indirect dispatches

  // Of all commands that write a buffer, except dispatches.
  private @Nullable RecordedOperand target;

  private int pattern;
  private int patternBytes;
  private byte[] data = NO_BYTES; // the bytes of an update, or packed arguments of a dispatch
  private @Nullable HostMemory host;
  private @Nullable EngineKernel kernel;
  private int groupsX;
  private int groupsY;
  private int groupsZ;
  private @Nullable RecordedOperand[] arguments = NO_OPERANDS; // by parameter; null for constants
  private @Nullable ExternalCall external;
  private long event;
  private @Nullable ProgramLine line; // if its device looks for hazards
  private String label = "";
  private int number; // in its recording, from 0; barriers are not counted

  public RecordedCommand() {}

  @Override
  public Kind kind() {
    return kind;
  }

  /** What the program calls it; empty for nothing. */
  @Override
  public String label() {
    return label;
  }

  void setLabel(String given) {
    label = given;
  }

  /** Its number in its recording, from 0; barriers are not counted. */
  public int number() {
    return number;
  }

  void setNumber(int given) {
    number = given;
  }

  @Override
  public int size() {
    return 1;
  }

  @Override
  public RecordedCommand get(int index) {
    return this;
  }

  @Override
  public RecordedOperand source() {
    return Objects.requireNonNull(source);
  }

  @Override
  public RecordedOperand target() {
    return Objects.requireNonNull(target);
  }

  @Override
  public int pattern() {
    return pattern;
  }

  @Override
  public int patternBytes() {
    return patternBytes;
  }

  @Override
  public ByteBuffer bytes() {
    return ByteBuffer.wrap(data).slice().asReadOnlyBuffer().order(ByteOrder.nativeOrder());
  }

  @Override
  public byte[] array() {
    return data;
  }

  @Override
  public HostMemory host() {
    return Objects.requireNonNull(host);
  }

  @Override
  public EngineKernel kernel() {
    return Objects.requireNonNull(kernel);
  }

  /** The kernel; null if there is none or the command was cleared. For any thread. */
  public @Nullable EngineKernel kernelIfThere() {
    return kernel;
  }

  @Override
  public int groupsX() {
    return groupsX;
  }

  @Override
  public int groupsY() {
    return groupsY;
  }

  @Override
  public int groupsZ() {
    return groupsZ;
  }

  @Override
  public ExternalCall external() {
    return Objects.requireNonNull(external);
  }

  @Override
  public long event() {
    return event;
  }

  @Override
  public RecordedOperand argument(int index) {
    return Objects.requireNonNull(arguments[index]);
  }

  // Filling in. Each method makes all checks that are possible at the call (rule M5), and returns
  // false for a command without effect.

  public boolean setFill(
      DeviceCore<?> device, BufferRef to, long offset, long length, FillPattern fill) {
    Objects.requireNonNull(fill, "pattern");
    RecordedOperand range = target(device, to, offset, length);
    // For a slot, the offset of the bound buffer is checked with the binding table.
    Checks.multiple("fill offset", range.offset, fill.bytes());
    Checks.multiple("fill length", length, fill.bytes());
    kind = Checks.supported(device, Kind.FILL);
    target = range;
    pattern = fill.bits();
    patternBytes = fill.bytes();
    return length > 0;
  }

  public boolean setUpdate(DeviceCore<?> device, ByteBuffer from, BufferRef to, long offset) {
    int length = Objects.requireNonNull(from, "source").remaining();
    RecordedOperand range = target(device, to, offset, length);
    kind = Checks.supported(device, Kind.UPDATE);
    target = range;
    data = new byte[length];
    from.get(from.position(), data, 0, length);
    return length > 0;
  }

  public boolean setUpload(DeviceCore<?> device, HostMemory from, BufferRef to, long offset) {
    Objects.requireNonNull(from, "source");
    RecordedOperand range = target(device, to, offset, from.size());
    kind = Checks.supported(device, Kind.UPLOAD);
    target = range;
    host = from;
    return from.size() > 0;
  }

  public boolean setReadback(DeviceCore<?> device, BufferRef from, long offset, HostMemory to) {
    Objects.requireNonNull(to, "target");
    RecordedOperand range = source(device, from, offset, to.size());
    if (!to.isWritable()) {
      throw new HalException(Status.INVALID_ARGUMENT, "readback target is read-only");
    }
    kind = Checks.supported(device, Kind.READBACK);
    source = range;
    host = to;
    return to.size() > 0;
  }

  public boolean setCopy(
      DeviceCore<?> device,
      BufferRef from,
      long fromOffset,
      BufferRef to,
      long toOffset,
      long length) {
    checkSameDevice(device, from, to);
    RecordedOperand read = source(device, from, fromOffset, length);
    RecordedOperand written = target(device, to, toOffset, length);
    if (!read.isSlot() && !written.isSlot() && read.storage().home() == written.storage().home()) {
      checkDisjoint(read.offset, written.offset, length);
    }
    kind = Checks.supported(device, Kind.COPY);
    source = read;
    target = written;
    return length > 0;
  }

  private static RecordedOperand source(
      DeviceCore<?> device, BufferRef from, long offset, long length) {
    return RecordedOperand.range(
        device, "source", from, offset, length, BufferUsage.TRANSFER_SOURCE);
  }

  private static RecordedOperand target(
      DeviceCore<?> device, BufferRef to, long offset, long length) {
    return RecordedOperand.range(device, "target", to, offset, length, BufferUsage.TRANSFER_TARGET);
  }

  /** Refuses a copy between devices, which only a queue can make. */
  private static void checkSameDevice(DeviceCore<?> device, BufferRef from, BufferRef to) {
    if (from instanceof EngineBuffer source
        && to instanceof EngineBuffer target
        && source.core() != target.core()) {
      boolean isSource = source.core() != device;
      throw EngineBuffer.foreign(
          device,
          isSource ? "source" : "target",
          isSource ? source : target,
          "; a command buffer cannot copy between devices, a queue can");
    }
  }

  public boolean setDispatch(DeviceCore<?> device, Kernel kernel, Workgroups count, Args args) {
    EngineKernel called = EngineKernel.of(device, kernel);
    called.checkGrid(count);
    called.checkArgumentCount(args);
    kind = Checks.supported(device, Kind.DISPATCH);
    groupsX = count.x();
    groupsY = count.y();
    groupsZ = count.z();
    setArguments(device, called, args);
    return !count.isEmpty();
  }

  public boolean setDispatch(
      DeviceCore<?> device, Kernel kernel, IndirectWorkgroups count, Args args) {
    EngineKernel called = EngineKernel.of(device, kernel);
    RecordedOperand counts =
        RecordedOperand.range(
            device,
            COUNTS,
            Objects.requireNonNull(count, "count").counts(),
            count.offset(),
            IndirectWorkgroups.BYTES,
            BufferUsage.DISPATCH_READ);
    // For a slot, the offset of the bound buffer is checked with the binding table.
    Checks.multiple("offset of " + COUNTS, counts.offset, Integer.BYTES);
    called.checkArgumentCount(args);
    kind = Checks.supported(device, Kind.INDIRECT_DISPATCH);
    source = counts;
    setArguments(device, called, args);
    return true;
  }

  private void setArguments(DeviceCore<?> device, EngineKernel called, Args args) {
    kernel = called;
    arguments = new @Nullable RecordedOperand[args.size()];
    data = new byte[called.layout().size()];
    for (int i = 0; i < arguments.length; i++) {
      if (called.parameter(i).kind() != Parameter.Kind.BUFFER) {
        Constants.pack(called, i, args.get(i), data);
      } else {
        arguments[i] = RecordedOperand.argument(device, called, i, args.get(i));
      }
    }
  }

  /** Checks {@code buffers} and sets external work on them. */
  public void setExternal(DeviceCore<?> device, List<EngineBuffer> buffers, ExternalCall work) {
    kind = Checks.supported(device, Kind.EXTERNAL);
    arguments = new @Nullable RecordedOperand[buffers.size()];
    for (int i = 0; i < arguments.length; i++) {
      EngineBuffer buffer = buffers.get(i);
      arguments[i] = RecordedOperand.of(buffer, 0, buffer.size());
    }
    external = work;
  }

  public void setEvent(DeviceCore<?> device, long imported) {
    kind = Checks.supported(device, Kind.EVENT);
    event = imported;
  }

  void setBarrier(DeviceCore<?> device) {
    kind = Checks.supported(device, Kind.BARRIER);
  }

  static void checkDisjoint(long sourceOffset, long targetOffset, long length) {
    if (sourceOffset < targetOffset + length && targetOffset < sourceOffset + length) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          ("copy of %s bytes from offset %s to offset %s of the same buffer: the ranges"
                  + " overlap")
              .formatted(length, sourceOffset, targetOffset));
    }
  }

  /** What it does, for messages. For any thread: the kernel is left out once it was cleared. */
  public String describe() {
    EngineKernel called = kernel;
    return called == null ? kind.word() : kind.word() + " of " + called;
  }

  void setLine(@Nullable ProgramLine recordedAt) {
    line = recordedAt;
  }

  /** The line of the program that has recorded it in a command buffer; null if it is not known. */
  public @Nullable ProgramLine line() {
    return line;
  }

  /** How many operands it may have: a source, a target and its arguments. */
  public int operandCount() {
    return 2 + arguments.length;
  }

  /** Operand {@code index}; null if it has none, as for a constant argument. */
  public @Nullable RecordedOperand operand(int index) {
    return switch (index) {
      case 0 -> source;
      case 1 -> target;
      default -> arguments[index - 2];
    };
  }

  /** Calls {@code visitor} for each operand that this command uses. */
  void visit(OperandVisitor visitor) {
    switch (kind) {
      case FILL -> visitor.visit(target(), BufferUsage.TRANSFER_TARGET, patternBytes);
      case UPDATE, UPLOAD -> visitor.visit(target(), BufferUsage.TRANSFER_TARGET, 1);
      case READBACK -> visitor.visit(source(), BufferUsage.TRANSFER_SOURCE, 1);
      case COPY -> {
        visitor.visit(source(), BufferUsage.TRANSFER_SOURCE, 1);
        visitor.visit(target(), BufferUsage.TRANSFER_TARGET, 1);
      }
      case DISPATCH -> visitArguments(visitor);
      case INDIRECT_DISPATCH -> {
        visitor.visit(source(), BufferUsage.DISPATCH_READ, Integer.BYTES);
        visitArguments(visitor);
      }
      case BARRIER, EXTERNAL, EVENT -> {}
    }
  }

  private void visitArguments(OperandVisitor visitor) {
    for (int i = 0; i < arguments.length; i++) {
      Parameter parameter = kernel().parameter(i);
      if (parameter.kind() == Parameter.Kind.BUFFER) {
        if (parameter.isRead()) {
          visitor.visit(argument(i), BufferUsage.DISPATCH_READ, parameter.type().bytes());
        }
        if (parameter.isWritten()) {
          visitor.visit(argument(i), BufferUsage.DISPATCH_WRITE, parameter.type().bytes());
        }
      }
    }
  }

  /** Calls {@code visitor} for each range that this command uses, with the use. */
  public void uses(UseVisitor visitor) {
    if (kind == Kind.EXTERNAL) {
      for (RecordedOperand operand : arguments) {
        // What it does with a buffer is not said; a buffer that nothing may write is not written.
        if (operand != null) {
          visitor.use(operand, operand.storage().isWritable() ? Use.WRITE : Use.READ, "");
        }
      }
    } else if (kind.runsKernel()) {
      if (source != null) {
        visitor.use(source, Use.READ, COUNTS);
      }
      for (int i = 0; i < arguments.length; i++) {
        RecordedOperand operand = arguments[i];
        if (operand != null) {
          Parameter parameter = kernel().parameter(i);
          visitor.use(operand, parameter.isWritten() ? Use.WRITE : Use.READ, parameter.name());
        }
      }
    } else {
      if (source != null) {
        visitor.use(source, Use.READ, "");
      }
      if (target != null) {
        visitor.use(target, Use.WRITE, "");
      }
    }
  }

  /** Receives an operand, its use, and the name of the parameter, if there is one. */
  public interface UseVisitor {
    void use(RecordedOperand operand, Use use, String name);
  }

  /** Receives an operand, its usage, and the required alignment of its offset. */
  interface OperandVisitor {
    void visit(RecordedOperand operand, BufferUsage usage, int alignment);
  }

  public void clear() {
    source = null;
    target = null;
    host = null;
    kernel = null;
    external = null;
    arguments = NO_OPERANDS;
    data = NO_BYTES;
  }
}
