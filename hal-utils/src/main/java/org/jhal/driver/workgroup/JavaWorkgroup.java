// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.workgroup;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Objects;
import org.jhal.ElementType;
import org.jhal.Parameter;
import org.jhal.StructType;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.KernelStruct;
import org.jhal.kernel.Workgroup;
import org.jspecify.annotations.Nullable;

/** One workgroup as a kernel sees it; reused for one index after the other. Owned by one thread. */
final class JavaWorkgroup extends PackedNumbers implements Workgroup {
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

  @Override
  String describe(int index) {
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

  /** The type of a constant. */
  @Override
  ElementType type(int index) {
    if (parameter(index).kind() != Parameter.Kind.CONSTANT) {
      throw new IndexOutOfBoundsException(describe(index) + ", not a constant");
    }
    return parameter(index).type();
  }

  @Override
  byte[] block() {
    return command().array();
  }

  @Override
  int offset(int index) {
    return command().kernel().layout().offset(index);
  }

  @Override
  public KernelStruct struct(int index) {
    StructType type = parameter(index).struct();
    if (type == null) {
      throw new IndexOutOfBoundsException(describe(index) + ", not a struct");
    }
    return new StructView(type, block(), offset(index));
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
