// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Objects;
import org.jhal.ElementType;
import org.jhal.Parameter;
import org.jhal.StructType;
import org.jhal.Workgroups;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernel.KernelStruct;
import org.jhal.kernel.Workgroup;
import org.jspecify.annotations.Nullable;

/** One workgroup as a kernel sees it; reused for one index after the other. Owned by one thread. */
final class JavaWorkgroup extends PackedNumbers implements Workgroup {
  private static final KernelMemory[] NO_VIEWS = {};

  private static final byte[] NO_ARGUMENTS = {};

  private @Nullable GridKernel kernel;
  private byte[] arguments = NO_ARGUMENTS;
  private KernelMemory[] views = NO_VIEWS;
  private KernelView shared = new KernelView();
  private KernelMemory givenShared = shared; // it, or what checks it
  private @Nullable Segments sharedBytes; // of the kernel's size; zeroed by moveTo
  private int sharedSize;
  private int countX;
  private int countY;
  private int countZ;
  private int sizeX; // of the kernel, read for each work item
  private int sizeY;
  private int sizeZ;
  private int groupX;
  private int groupY;
  private int groupZ;
  private @Nullable GridBarrier barrier; // of a cooperative dispatch

  /**
   * Makes this a workgroup of a dispatch.
   *
   * @param newArguments all arguments, in their layout
   * @param newViews the buffers, by parameter
   */
  void prepare(
      GridKernel newKernel, int x, int y, int z, byte[] newArguments, KernelMemory[] newViews) {
    kernel = newKernel;
    countX = x;
    countY = y;
    countZ = z;
    arguments = newArguments;
    views = newViews;
    Workgroups items = newKernel.workgroupSize();
    sizeX = items.x();
    sizeY = items.y();
    sizeZ = items.z();
    int size = newKernel.dynamicSharedMemory();
    if (size == 0) {
      sharedBytes = null;
    } else if (sharedBytes == null || sharedSize != size) {
      sharedBytes = Segments.of(size, (offset, length) -> ByteBuffer.allocateDirect(length));
    }
    sharedSize = size;
    if (sharedBytes != null) {
      shared.setOwn(sharedBytes, "shared memory", size);
    }
    givenShared = shared;
  }

  /** Has the accesses of the kernel checked. */
  void check(DispatchCheck by) {
    views = by.views();
    givenShared = by.shared(shared);
  }

  /** Makes this a workgroup of the dispatch that {@code other} belongs to. */
  void prepareAs(JavaWorkgroup other) {
    prepare(other.kernel(), other.countX, other.countY, other.countZ, other.arguments, other.views);
  }

  /** Makes this a workgroup of a cooperative dispatch. */
  void meetAt(GridBarrier where) {
    barrier = where;
  }

  void release() {
    kernel = null;
    barrier = null;
    arguments = NO_ARGUMENTS;
    views = NO_VIEWS;
    if (shared.isSet()) {
      shared.clear();
      shared = new KernelView();
    }
    givenShared = shared;
  }

  /** Makes this the workgroup with a linear index, counted along the first axis first. */
  void moveTo(long index) {
    groupX = (int) (index % countX);
    long rest = index / countX;
    groupY = (int) (rest % countY);
    groupZ = (int) (rest / countY);
    if (sharedBytes != null) {
      ByteBuffer bytes = sharedBytes.chunk(0, sharedSize);
      while (bytes.hasRemaining()) {
        bytes.put((byte) 0);
      }
    }
  }

  private GridKernel kernel() {
    return Objects.requireNonNull(kernel);
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
    return countX;
  }

  @Override
  public int countY() {
    return countY;
  }

  @Override
  public int countZ() {
    return countZ;
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
    int count = kernel().parameterCount();
    if (index < 0 || index >= count) {
      throw new IndexOutOfBoundsException(
          "there is no parameter " + index + "; the kernel has " + count);
    }
    return kernel().parameter(index);
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
    return arguments;
  }

  @Override
  int offset(int index) {
    return kernel().offset(index);
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
    return givenShared;
  }

  @Override
  public void syncGrid() {
    if (barrier == null) {
      Workgroup.super.syncGrid();
    } else {
      barrier.sync(this);
    }
  }

  @Override
  public String toString() {
    return "workgroup " + groupX + "," + groupY + "," + groupZ;
  }
}
