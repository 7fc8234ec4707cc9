package org.jhal.utils;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jhal.Args;
import org.jhal.BufferRef;
import org.jhal.BufferUsage;
import org.jhal.FillPattern;
import org.jhal.HostMemory;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Slot;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/**
 * One command, as a driver sees it in {@link NativeStream#issue}. It was checked when it was made.
 * Which of the values mean something depends on the {@link #kind()}.
 *
 * <p>Constant while it can be submitted.
 */
public final class Command {
  /** What a command does. */
  public enum Kind {
    /**
     * Repeats {@link #pattern()}, which has {@link #patternBytes()} bytes, over {@link #target()}.
     */
    FILL,
    /** Writes {@link #bytes()} to {@link #target()}. */
    UPDATE,
    /** Writes {@link #host()}, all of it, to {@link #target()}. */
    UPLOAD,
    /** Reads {@link #source()} into {@link #host()}, all of it. */
    READBACK,
    /** Copies {@link #source()} to {@link #target()}, of the same length; they do not overlap. */
    COPY,
    /** Runs {@link #kernel()} over a grid of at least one workgroup. */
    DISPATCH,
    /** Orders all commands before it against all after it. */
    BARRIER
  }

  private static final int MAX_KEPT_BYTES = 4096;
  private static final Operand[] NO_OPERANDS = {};
  private static final byte[] NO_BYTES = {};

  private Kind kind = Kind.BARRIER;
  private final Operand source = new Operand();
  private final Operand target = new Operand();
  private int pattern;
  private int patternBytes;
  private byte[] data = NO_BYTES; // of an update, or the packed arguments of a dispatch
  private int dataSize;
  private @Nullable HostMemory host;
  private @Nullable EngineKernel kernel;
  private int groupsX;
  private int groupsY;
  private int groupsZ;
  private Operand[] arguments = NO_OPERANDS; // by parameter; those of constants are not used
  private int argumentCount;

  Command() {}

  /** What it does. */
  public Kind kind() {
    return kind;
  }

  /** What is read. */
  public Operand source() {
    return source;
  }

  /** What is written. */
  public Operand target() {
    return target;
  }

  /** The pattern of a fill, in the low bits; the lowest byte comes first in memory. */
  public int pattern() {
    return pattern;
  }

  /** How long the pattern of a fill is: 1, 2 or 4. */
  public int patternBytes() {
    return patternBytes;
  }

  /**
   * The bytes of an update, or the arguments of a dispatch in their {@link ArgumentLayout}, with
   * addresses left zero; a new view at position 0, in native byte order.
   */
  public ByteBuffer bytes() {
    return ByteBuffer.wrap(data, 0, dataSize)
        .slice()
        .asReadOnlyBuffer()
        .order(ByteOrder.nativeOrder());
  }

  /**
   * The array behind {@link #bytes()}, which starts at index 0; not to be changed. For drivers that
   * count allocations.
   */
  public byte[] array() {
    return data;
  }

  /** The host's side of an upload or a readback. */
  public HostMemory host() {
    return Objects.requireNonNull(host);
  }

  /** The kernel of a dispatch. What the driver loaded is {@code kernel().executable().module()}. */
  public EngineKernel kernel() {
    return Objects.requireNonNull(kernel);
  }

  /** The same for who looks at a command that may be over already: then null. */
  @Nullable EngineKernel kernelIfThere() {
    return kernel;
  }

  /** Workgroups along the first axis. */
  public int groupsX() {
    return groupsX;
  }

  /** Workgroups along the second axis. */
  public int groupsY() {
    return groupsY;
  }

  /** Workgroups along the third axis. */
  public int groupsZ() {
    return groupsZ;
  }

  /** The buffer of parameter {@code index} of a dispatch; only for parameters that are buffers. */
  public Operand argument(int index) {
    return arguments[index];
  }

  // Making: each checks everything that can be known now (rule M5), and returns false if there is
  // nothing to do.

  boolean setFill(
      EngineDevice<?> device, BufferRef to, long offset, long length, FillPattern fill) {
    Objects.requireNonNull(fill, "pattern");
    Validation.operand(device, "target", to, offset, length, BufferUsage.TRANSFER_TARGET, target);
    Validation.multiple("fill offset", target, fill.bytes());
    Validation.multiple("fill length", length, fill.bytes());
    kind = Kind.FILL;
    pattern = fill.bits();
    patternBytes = fill.bytes();
    return length > 0;
  }

  boolean setUpdate(EngineDevice<?> device, ByteBuffer from, BufferRef to, long offset) {
    int length = Objects.requireNonNull(from, "source").remaining();
    Validation.operand(device, "target", to, offset, length, BufferUsage.TRANSFER_TARGET, target);
    kind = Kind.UPDATE;
    reserve(length);
    from.get(from.position(), data, 0, length);
    return length > 0;
  }

  boolean setUpload(EngineDevice<?> device, HostMemory from, BufferRef to, long offset) {
    Objects.requireNonNull(from, "source");
    Validation.operand(
        device, "target", to, offset, from.size(), BufferUsage.TRANSFER_TARGET, target);
    kind = Kind.UPLOAD;
    host = from;
    return from.size() > 0;
  }

  boolean setReadback(EngineDevice<?> device, BufferRef from, long offset, HostMemory to) {
    Objects.requireNonNull(to, "target");
    Validation.operand(
        device, "source", from, offset, to.size(), BufferUsage.TRANSFER_SOURCE, source);
    Validation.writable(to);
    kind = Kind.READBACK;
    host = to;
    return to.size() > 0;
  }

  boolean setCopy(
      EngineDevice<?> device,
      BufferRef from,
      long fromOffset,
      BufferRef to,
      long toOffset,
      long length) {
    Validation.operand(
        device, "source", from, fromOffset, length, BufferUsage.TRANSFER_SOURCE, source);
    Validation.operand(device, "target", to, toOffset, length, BufferUsage.TRANSFER_TARGET, target);
    if (!source.isSlot() && !target.isSlot() && source.storage() == target.storage()) {
      Validation.disjoint(source.offset, target.offset, length);
    }
    kind = Kind.COPY;
    return length > 0;
  }

  boolean setDispatch(EngineDevice<?> device, Kernel kernel, Workgroups count, Args args) {
    EngineKernel called = Validation.kernel(device, kernel);
    Validation.grid(device, called, count);
    Validation.argumentCount(called, args);
    kind = Kind.DISPATCH;
    this.kernel = called;
    groupsX = count.x();
    groupsY = count.y();
    groupsZ = count.z();
    argumentCount = args.size();
    if (arguments.length < argumentCount) {
      int old = arguments.length;
      arguments = Arrays.copyOf(arguments, argumentCount);
      for (int i = old; i < argumentCount; i++) {
        arguments[i] = new Operand();
      }
    }
    reserve(called.layout().size());
    Arrays.fill(data, 0, dataSize, (byte) 0);
    for (int i = 0; i < argumentCount; i++) {
      Parameter parameter = called.parameter(i);
      arguments[i].clear();
      if (parameter.kind() == Parameter.Kind.CONSTANT) {
        Constants.pack(called, i, parameter, args.get(i), data, called.layout().offset(i));
      } else {
        Validation.bufferArgument(device, called, i, parameter, args.get(i), arguments[i]);
      }
    }
    return !count.isEmpty();
  }

  void setBarrier() {
    kind = Kind.BARRIER;
  }

  private void reserve(int size) {
    if (data.length < size) {
      data = new byte[size];
    }
    dataSize = size;
  }

  /** Calls {@code visitor} for each operand that this command uses. */
  void visit(OperandVisitor visitor) {
    switch (kind) {
      case FILL -> visitor.visit(target, BufferUsage.TRANSFER_TARGET, patternBytes);
      case UPDATE, UPLOAD -> visitor.visit(target, BufferUsage.TRANSFER_TARGET, 1);
      case READBACK -> visitor.visit(source, BufferUsage.TRANSFER_SOURCE, 1);
      case COPY -> {
        visitor.visit(source, BufferUsage.TRANSFER_SOURCE, 1);
        visitor.visit(target, BufferUsage.TRANSFER_TARGET, 1);
      }
      case DISPATCH -> {
        for (int i = 0; i < argumentCount; i++) {
          Parameter parameter = kernel().parameter(i);
          if (parameter.kind() == Parameter.Kind.BUFFER) {
            if (parameter.isRead()) {
              visitor.visit(arguments[i], BufferUsage.DISPATCH_READ, parameter.type().bytes());
            }
            if (parameter.isWritten()) {
              visitor.visit(arguments[i], BufferUsage.DISPATCH_WRITE, parameter.type().bytes());
            }
          }
        }
      }
      case BARRIER -> {}
    }
  }

  /** Told of an operand, what is done with it, and what its offset must be a multiple of. */
  interface OperandVisitor {
    void visit(Operand operand, BufferUsage usage, int alignment);
  }

  /** Lets go of what it refers to, for the next use. */
  void clear() {
    source.clear();
    target.clear();
    host = null;
    kernel = null;
    for (int i = 0; i < argumentCount; i++) {
      arguments[i].clear();
    }
    if (data.length > MAX_KEPT_BYTES) {
      data = NO_BYTES;
    }
    dataSize = 0;
  }

  /** An operand that stands for the range of a slot which is not known yet. */
  static boolean isOpenEnded(Operand operand) {
    return operand.isSlot() && operand.length == Slot.WHOLE;
  }
}
