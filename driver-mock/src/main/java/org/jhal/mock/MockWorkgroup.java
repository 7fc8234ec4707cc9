package org.jhal.mock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jhal.ElementType;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.Workgroup;
import org.jspecify.annotations.Nullable;

/** One workgroup as a kernel sees it; reused for one index after the other. Owned by one thread. */
final class MockWorkgroup implements Workgroup {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);
  private static final MockView[] NO_VIEWS = {};

  private @Nullable Command command;
  private MockView[] views = NO_VIEWS;
  private final MockView shared = new MockView();
  private @Nullable MockMemory sharedMemory; // of the command's size; zeroed by moveTo
  private int groupX;
  private int groupY;
  private int groupZ;

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.nativeOrder());
  }

  void prepare(Command newCommand, MockView[] newViews) {
    command = newCommand;
    views = newViews;
    int bytes = newCommand.kernel().dynamicSharedMemory();
    if (bytes == 0) {
      sharedMemory = null;
    } else if (sharedMemory == null || sharedMemory.size() != bytes) {
      sharedMemory = MockMemory.shared(bytes);
    }
    shared.set(sharedMemory, 0, bytes);
  }

  void release() {
    command = null;
    views = NO_VIEWS;
  }

  /** Makes this the workgroup with a linear index, counted along the first axis first. */
  void moveTo(long index) {
    Command running = command();
    groupX = (int) (index % running.groupsX());
    long rest = index / running.groupsX();
    groupY = (int) (rest % running.groupsY());
    groupZ = (int) (rest / running.groupsY());
    if (sharedMemory != null) {
      ByteBuffer bytes = sharedMemory.chunk(0, sharedMemory.size());
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
    return command().kernel().workgroupSize().x();
  }

  @Override
  public int sizeY() {
    return command().kernel().workgroupSize().y();
  }

  @Override
  public int sizeZ() {
    return command().kernel().workgroupSize().z();
  }

  @Override
  public KernelMemory memory(int index) {
    if (parameter(index).kind() != Parameter.Kind.BUFFER) {
      throw new IndexOutOfBoundsException("parameter " + index + " is a constant, not a buffer");
    }
    return views[index];
  }

  private Parameter parameter(int index) {
    return command()
        .kernel()
        .parameter(Objects.checkIndex(index, command().kernel().parameterCount()));
  }

  private ElementType constant(int index) {
    if (parameter(index).kind() != Parameter.Kind.CONSTANT) {
      throw new IndexOutOfBoundsException("parameter " + index + " is a buffer, not a constant");
    }
    return parameter(index).type();
  }

  @Override
  public int i32(int index) {
    if (constant(index).bytes() > 4) {
      throw new IllegalArgumentException("parameter " + index + " has 64 bits");
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
      default -> throw new IllegalArgumentException("parameter " + index + " is not an integer");
    };
  }

  @Override
  public float f32(int index) {
    if (constant(index) != ElementType.F32) {
      throw new IllegalArgumentException("parameter " + index + " is not an f32");
    }
    return Float.intBitsToFloat(
        (int) INT.get(command().array(), command().kernel().layout().offset(index)));
  }

  @Override
  public double f64(int index) {
    if (constant(index) == ElementType.F32) {
      return f32(index);
    }
    if (constant(index) != ElementType.F64) {
      throw new IllegalArgumentException("parameter " + index + " is not an f64");
    }
    return Double.longBitsToDouble(
        (long) LONG.get(command().array(), command().kernel().layout().offset(index)));
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
