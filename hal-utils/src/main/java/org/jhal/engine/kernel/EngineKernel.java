// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.kernel;

import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jhal.Args;
import org.jhal.HalException;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.driver.KernelModule;
import org.jhal.driver.LoadedKernel;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.flightrecorder.Names;
import org.jhal.kernels.bundle.ArgumentLayout;
import org.jhal.kernels.bundle.KernelSpec;

/** A kernel of an {@link EngineExecutable}. */
public final class EngineKernel implements Kernel, LoadedKernel {
  private final EngineExecutable executable;
  private final long number;
  private final int index;
  private final KernelSpec spec;
  private final Parameter[] parameters; // those of spec, for loops that allocate no iterator
  private final ArgumentLayout layout;
  private final Workgroups maxCount;
  private final String note;
  private final long resident; // the most workgroups of a cooperative kernel; -1 of any other

  /**
   * Creates a kernel.
   *
   * @param maxCount the largest grid that the device accepts
   * @param maxWorkItems the largest number of work items along one axis of a grid
   */
  EngineKernel(
      EngineExecutable executable,
      int index,
      KernelSpec spec,
      Workgroups maxCount,
      long maxWorkItems) {
    this.executable = executable;
    this.index = index;
    this.spec = spec;
    this.parameters = spec.parameters().toArray(new Parameter[0]);
    this.layout = ArgumentLayout.of(spec.parameters());
    Workgroups size = spec.workgroupSize();
    this.maxCount =
        new Workgroups(
            (int) Math.min(maxCount.x(), maxWorkItems / size.x()),
            (int) Math.min(maxCount.y(), maxWorkItems / size.y()),
            (int) Math.min(maxCount.z(), maxWorkItems / size.z()));
    KernelModule module = executable.module(); // asked now, since it may be unloaded later
    this.note = module.note(index);
    this.resident = spec.isCooperative() ? module.residentWorkgroups(index) : -1;
    this.number = // last: if this constructor threw afterwards, the name would leak
        Names.add("kernel", executable.name() + ":" + spec.name(), executable.core().number());
  }

  /** Returns {@code kernel} as the engine's own type, if it was loaded for {@code device}. */
  public static EngineKernel of(DeviceCore<?> device, Kernel kernel) {
    Objects.requireNonNull(kernel, "kernel");
    if (!(kernel instanceof EngineKernel own) || own.executable().core() != device) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "kernel "
              + kernel
              + " was loaded for "
              + Checks.namesOf(
                  device, kernel instanceof EngineKernel other ? other.executable().core() : null));
    }
    own.executable().checkOpen();
    return own;
  }

  /** Its number in the flight recorder. */
  public long number() {
    return number;
  }

  @Override
  public EngineExecutable executable() {
    return executable;
  }

  @Override
  public KernelModule module() {
    return executable.module();
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public String name() {
    return spec.name();
  }

  @Override
  public List<Parameter> parameters() {
    return spec.parameters();
  }

  @Override
  public int parameterCount() {
    return parameters.length;
  }

  @Override
  public Parameter parameter(int parameterIndex) {
    return parameters[parameterIndex];
  }

  @Override
  public Workgroups workgroupSize() {
    return spec.workgroupSize();
  }

  @Override
  public int dynamicSharedMemory() {
    return spec.dynamicSharedMemory();
  }

  @Override
  public String note() {
    return note;
  }

  public void checkGrid(Workgroups count) {
    Objects.requireNonNull(count, "count");
    Workgroups most = maxCount;
    if (count.x() > most.x() || count.y() > most.y() || count.z() > most.z()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "grid %s of %s: %s takes at most %s"
              .formatted(count, this, executable.core().name(), most));
    }
    if (!isResident(count)) {
      throw new HalException(
          Status.OUT_OF_RANGE, "grid %s of %s: %s".formatted(count, this, residents()));
    }
  }

  @Override
  public boolean isCooperative() {
    return resident >= 0;
  }

  @Override
  public OptionalLong residentWorkgroups() {
    return isCooperative() ? OptionalLong.of(resident) : OptionalLong.empty();
  }

  /** Whether the device can hold all workgroups of a grid, or need not. */
  private boolean isResident(Workgroups count) {
    return !isCooperative() || count.isEmpty() || isAtMost(count, resident);
  }

  private static boolean isAtMost(Workgroups count, long most) {
    long plane = (long) count.x() * count.y(); // less than 2^62
    return plane <= most && plane * count.z() <= most; // `most` is that of a device: no overflow
  }

  private String residents() {
    return "%s holds at most %s workgroups of this cooperative kernel at the same time"
        .formatted(executable.core().name(), resident);
  }

  @Override
  public Workgroups maxCount() {
    return maxCount;
  }

  @Override
  public Workgroups grid(int x, int y, int z) {
    Workgroups most = maxCount;
    if (exceeds(x, most.x()) || exceeds(y, most.y()) || exceeds(z, most.z())) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "grid %s,%s,%s of %s, which the device has read: %s takes at most %s"
              .formatted(
                  Integer.toUnsignedString(x),
                  Integer.toUnsignedString(y),
                  Integer.toUnsignedString(z),
                  this,
                  executable.core().name(),
                  most));
    }
    Workgroups count = new Workgroups(x, y, z);
    if (!isResident(count)) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          "grid %s of %s, which the device has read: %s".formatted(count, this, residents()));
    }
    return count;
  }

  private static boolean exceeds(int count, int most) {
    return Integer.compareUnsigned(count, most) > 0;
  }

  public void checkArgumentCount(Args args) {
    Objects.requireNonNull(args, "args");
    if (args.size() != parameters.length) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          this
              + " takes "
              + parameters.length
              + (parameters.length == 1 ? " argument " : " arguments ")
              + parameters().stream().map(Parameter::name).toList()
              + ", got "
              + args.size());
    }
  }

  public String argument(int parameterIndex) {
    return "argument " + parameterIndex + " of " + this + ", " + parameters[parameterIndex].name();
  }

  @Override
  public ArgumentLayout layout() {
    return layout;
  }

  @Override
  public String toString() {
    return executable.name() + ":" + spec.name();
  }
}
