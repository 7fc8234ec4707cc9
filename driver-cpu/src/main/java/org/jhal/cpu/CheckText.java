// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import org.jhal.ElementType;
import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.driver.LoadedKernel;

/** Says in words what the native runtime has found in a dispatch. */
final class CheckText {
  private final CpuGrid grid;
  private final LoadedKernel kernel;
  private final CheckedCode code;
  private final NativeFinding found;

  private CheckText(CpuGrid grid, CheckedCode code, NativeFinding found) {
    this.grid = grid;
    this.kernel = grid.loaded();
    this.code = code;
    this.found = found;
  }

  static Finding finding(CpuGrid grid, CheckedCode code, NativeFinding found) {
    return new CheckText(grid, code, found).finding();
  }

  private Finding finding() {
    String name = found.range() < 0 ? "" : kernel.parameter(found.range()).name();
    String message = "kernel " + kernel.name() + " " + message();
    return new Finding(
        "memory",
        kernel.name(),
        message,
        code.place(found.at(), name),
        item(found.group(), found.item()),
        found.count());
  }

  private String message() {
    String does = found.isWrite() ? "writes" : "reads";
    return switch (found.kind()) {
      case NativeFinding.OUTSIDE -> does + " " + outside();
      case NativeFinding.READ_ONLY ->
          "writes %s of '%s', which it may only read: its direction is 'in'"
              .formatted(element(), kernel.parameter(found.range()).name());
      default -> "does something wrong of the kind " + found.kind();
    };
  }

  private String outside() {
    if (found.range() < 0) {
      return "the address 0x%x, and has no buffers".formatted(found.address());
    }
    Parameter parameter = kernel.parameter(found.range());
    long length = grid.length(found.range());
    long past = found.offset() - length;
    String where =
        found.offset() < 0
            ? -found.offset() + " bytes before its start"
            : past >= 0 ? past + " bytes past its end" : "across its end";
    return "outside '%s': %s of %s (%s), %s"
        .formatted(
            parameter.name(), element(), length / bytes(parameter), parameter.typeName(), where);
  }

  private String element() {
    Parameter parameter = kernel.parameter(found.range());
    return "element " + Math.floorDiv(found.offset(), (long) bytes(parameter));
  }

  private static int bytes(Parameter parameter) {
    ElementType type = parameter.type();
    return type.bytes();
  }

  /** A work item, by its numbers in the grid. */
  private String item(long group, int item) {
    Workgroups size = kernel.workgroupSize();
    Workgroups groups = grid.groups();
    return "work item %s of workgroup %s"
        .formatted(indexes(item, size.x(), size.y()), indexes(group, groups.x(), groups.y()));
  }

  private static String indexes(long index, int x, int y) {
    return "(%s, %s, %s)".formatted(index % x, index / x % y, index / x / y);
  }
}
