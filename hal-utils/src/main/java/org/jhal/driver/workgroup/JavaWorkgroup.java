package org.jhal.driver.workgroup;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Objects;
import org.jhal.ElementType;
import org.jhal.Parameter;
import org.jhal.StructType;
import org.jhal.StructValue;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.StructBytes;
import org.jhal.kernel.BFloat16;
import org.jhal.kernel.Float16;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.Workgroup;
import org.jspecify.annotations.Nullable;

/** One workgroup as a kernel sees it; reused for one index after the other. Owned by one thread. */
final class JavaWorkgroup implements Workgroup {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);
  private static final KernelView[] NO_VIEWS = {};

  private @Nullable Command command;
  private KernelView[] views = NO_VIEWS;
  private KernelView shared = new KernelView();
  private @Nullable Segments sharedBytes; // of the command's size; zeroed by moveTo
  private int sharedSize;
  private int sizeX; // of the command's kernel, read for each work item
  private int sizeY;
  private int sizeZ;
  private int groupX;
  private int groupY;
  private int groupZ;

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.nativeOrder());
  }

  void prepare(Command newCommand, KernelView[] newViews) {
    command = newCommand;
    views = newViews;
    Workgroups items = newCommand.kernel().workgroupSize();
    sizeX = items.x();
    sizeY = items.y();
    sizeZ = items.z();
    int size = newCommand.kernel().dynamicSharedMemory();
    if (size == 0) {
      sharedBytes = null;
    } else if (sharedBytes == null || sharedSize != size) {
      sharedBytes = Segments.of(size, (offset, length) -> ByteBuffer.allocateDirect(length));
    }
    sharedSize = size;
    if (sharedBytes != null) {
      shared.setOwn(sharedBytes, "shared memory", size);
    }
  }

  void release() {
    command = null;
    views = NO_VIEWS;
    if (shared.isSet()) {
      shared.clear();
      shared = new KernelView();
    }
  }

  /** Makes this the workgroup with a linear index, counted along the first axis first. */
  void moveTo(long index) {
    Command running = command();
    groupX = (int) (index % running.groupsX());
    long rest = index / running.groupsX();
    groupY = (int) (rest % running.groupsY());
    groupZ = (int) (rest / running.groupsY());
    if (sharedBytes != null) {
      ByteBuffer bytes = sharedBytes.chunk(0, sharedSize);
      while (bytes.hasRemaining()) {
        bytes.put((byte) 0);
      }
    }
  }

  private Command command() {
    return Objects.requireNonNull(command);
  }

  @Override
  public int groupX() {
    return groupX;
  }

  @Override
  public int groupY() {
    return groupY;
  }

  @Override
  public int groupZ() {
    return groupZ;
  }

  @Override
  public int countX() {
    return command().groupsX();
  }

  @Override
  public int countY() {
    return command().groupsY();
  }

  @Override
  public int countZ() {
    return command().groupsZ();
  }

  @Override
  public int sizeX() {
    return sizeX;
  }

  @Override
  public int sizeY() {
    return sizeY;
  }

  @Override
  public int sizeZ() {
    return sizeZ;
  }

  @Override
  public KernelMemory memory(int index) {
    if (parameter(index).kind() != Parameter.Kind.BUFFER) {
      throw new IndexOutOfBoundsException(describe(index) + ", not a buffer");
    }
    return views[index];
  }

  private Parameter parameter(int index) {
    int count = command().kernel().parameterCount();
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "there is no parameter " + index + "; the kernel has " + count);
    }
    return command().kernel().parameter(index);
  }

  private String describe(int index) {
    Parameter parameter = parameter(index);
    return "parameter "
        + index
        + ", '"
        + parameter.name()
        + "', is a "
        + parameter.kind().name().toLowerCase(Locale.ROOT)
        + " of "
        + parameter.typeName();
  }

  private IllegalArgumentException isNot(int index, String wanted) {
    return new IllegalArgumentException(describe(index) + ", not " + wanted);
  }

  private ElementType constant(int index) {
    if (parameter(index).kind() != Parameter.Kind.CONSTANT) {
      throw new IndexOutOfBoundsException(describe(index) + ", not a constant");
    }
    return parameter(index).type();
  }

  @Override
  public int i32(int index) {
    if (constant(index).bytes() > 4) {
      throw isNot(index, "an integer of at most 32 bits");
    }
    return (int) i64(index);
  }

  @Override
  public long i64(int index) {
    byte[] block = command().array();
    int offset = command().kernel().layout().offset(index);
    return switch (constant(index)) {
      case I8 -> block[offset];
      case U8 -> block[offset] & 0xFF;
      case I16 -> (short) SHORT.get(block, offset);
      case U16 -> (short) SHORT.get(block, offset) & 0xFFFF;
      case I32 -> (int) INT.get(block, offset);
      case U32 -> (int) INT.get(block, offset) & 0xFFFF_FFFFL;
      case I64, U64 -> (long) LONG.get(block, offset);
      default -> throw isNot(index, "an integer");
    };
  }

  @Override
  public float f32(int index) {
    ElementType type = constant(index);
    byte[] block = command().array();
    int offset = command().kernel().layout().offset(index);
    return switch (type) {
      case F32 -> Float.intBitsToFloat((int) INT.get(block, offset));
      case F16 -> Float16.toFloat((short) SHORT.get(block, offset));
      case BF16 -> BFloat16.toFloat((short) SHORT.get(block, offset));
      default -> throw isNot(index, "an f32, f16 or bf16");
    };
  }

  @Override
  public double f64(int index) {
    return switch (constant(index)) {
      case F64 ->
          Double.longBitsToDouble(
              (long) LONG.get(command().array(), command().kernel().layout().offset(index)));
      case F32, F16, BF16 -> f32(index);
      default -> throw isNot(index, "a floating-point number");
    };
  }

  @Override
  public StructValue struct(int index) {
    StructType type = parameter(index).struct();
    if (type == null) {
      throw new IndexOutOfBoundsException(describe(index) + ", not a struct");
    }
    return StructBytes.read(type, command().array(), command().kernel().layout().offset(index));
  }

  @Override
  public KernelMemory shared() {
    return shared;
  }

  @Override
  public String toString() {
    return "workgroup " + groupX + "," + groupY + "," + groupZ;
  }
}
