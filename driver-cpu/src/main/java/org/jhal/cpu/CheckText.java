// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.ArrayList;
import java.util.List;
import org.jhal.KernelFinding;
import org.jhal.Parameter;
import org.jhal.Workgroups;
import org.jhal.cpu.compile.SharedVariables;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.LoadedKernel;
import org.jhal.kernels.check.CheckReport;
import org.jhal.kernels.check.FindingText;
import org.jhal.kernels.check.KernelChecks;
import org.jspecify.annotations.Nullable;

/** Says in words what the native runtime has found in a dispatch. */
final class CheckText {
  private static final int PAGE = 4096; // what is below it is a null pointer
  private static final int STRIP = 64; // elements

  private final CpuGrid grid;
  private final LoadedKernel kernel;
  private final CheckedCode code;
  private final NativeFinding found;
  private final CpuCheck check;

  private CheckText(CpuGrid grid, CheckedCode code, NativeFinding found, CpuCheck check) {
    this.grid = grid;
    this.kernel = grid.loaded();
    this.code = code;
    this.found = found;
    this.check = check;
  }

  /** The finding; null if it is none, as the places in the code are the same in the source. */
  static @Nullable KernelFinding finding(
      CpuGrid grid, CheckedCode code, NativeFinding found, CpuCheck check) {
    CheckText text = new CheckText(grid, code, found, check);
    return switch (found.kind()) {
      case NativeFinding.OUTSIDE -> text.finding(KernelChecks.MEMORY, text.outside());
      case NativeFinding.READ_ONLY ->
          text.finding(KernelChecks.MEMORY, FindingText.readOnly(text.element(), text.name()));
      case NativeFinding.MISALIGNED ->
          text.finding(
              KernelChecks.MEMORY,
              "accesses '%s' at %s, which is not aligned to %s bytes"
                  .formatted(text.name(), text.element(), found.size()));
      case NativeFinding.RACE -> text.race();
      case NativeFinding.UNWRITTEN ->
          text.finding(
              KernelChecks.VALUES, "reads %s, which nothing has written".formatted(text.what()));
      case NativeFinding.DIVERGED -> text.diverged();
      case NativeFinding.ENDED -> text.finding(KernelChecks.BARRIERS, text.ended());
      case NativeFinding.ABSENT ->
          text.finding(
              KernelChecks.BARRIERS,
              found.mask() == 0
                  ? "waits at a barrier that others never reach, since they wait elsewhere"
                  : "waits for lanes that never come: the mask is 0x%x".formatted(found.mask()));
      case NativeFinding.SHIFT ->
          text.finding(
              KernelChecks.VALUES,
              "shifts by less than 0, or by as many bits as the type has or more");
      case NativeFinding.DIVISION ->
          text.finding(KernelChecks.VALUES, "divides an integer by zero");
      case NativeFinding.CONVERSION ->
          text.finding(
              KernelChecks.VALUES, "converts a number to an integer that is too small for it");
      default -> throw new IllegalArgumentException("a finding of the kind " + found.kind());
    };
  }

  /** The elements around the one that a finding is about; null if it is none of a buffer. */
  static CheckReport.@Nullable Strip strip(CpuGrid grid, NativeFinding found, long check) {
    int number = found.range();
    if (number < 0
        || number >= NativeFinding.DYNAMIC
        || found.address() >= 0 && found.address() < PAGE) {
      return null;
    }
    Parameter parameter = grid.loaded().parameter(number);
    int bytes = parameter.type().bytes();
    long marked = Math.floorDiv(found.offset(), (long) bytes);
    long count = grid.length(number) / bytes;
    if (marked < -STRIP / 4 || marked >= count + STRIP / 4) {
      return null; // far away
    }
    long first = Math.max(-STRIP / 4, Math.min(marked - STRIP / 2, count - STRIP * 3 / 4));
    first = Math.min(first, marked);
    long[] items = new long[5 * STRIP];
    HalRuntime.hal_check_touched(check, number, first, STRIP, bytes, items);
    List<CheckReport.Element> elements = new ArrayList<>();
    for (int at = 0; at < items.length; at += 5) {
      elements.add(
          new CheckReport.Element(
              items[at] != 0,
              name(grid, items[at + 1], items[at + 2]),
              number(grid, items[at + 1], items[at + 2]),
              name(grid, items[at + 3], items[at + 4]),
              number(grid, items[at + 3], items[at + 4])));
    }
    return new CheckReport.Strip(parameter.name(), parameter.typeName(), first, marked, elements);
  }

  private static String name(CpuGrid grid, long group, long item) {
    return item < 0 ? "" : item(grid, group, (int) item);
  }

  private static long number(CpuGrid grid, long group, long item) {
    Workgroups size = grid.loaded().workgroupSize();
    return item < 0 ? -1 : group * size.x() * size.y() * size.z() + item;
  }

  /** Notes for each block what the dispatch has written of it as an output. */
  static void noteOutputs(CpuGrid grid, CheckedCode code, long check) {
    LoadedKernel kernel = grid.loaded();
    for (int i = 0; i < kernel.parameterCount(); i++) {
      Parameter parameter = kernel.parameter(i);
      Block block = grid.blocks()[i];
      long[] first = new long[3];
      if (block != null
          && parameter.direction() == Parameter.Direction.OUT
          && HalRuntime.hal_check_first(check, i, first) != 0) {
        String item = item(grid, first[1], (int) first[2]);
        block.written(
            new Output(
                code, kernel.name(), parameter, grid.offset(i), grid.length(i), first[0], item));
      }
    }
  }

  private KernelFinding finding(String check, String message) {
    return finding(check, message, null, "");
  }

  private KernelFinding finding(
      String check, String message, KernelFinding.@Nullable Place otherPlace, String otherItem) {
    return new KernelFinding(
        check,
        kernel.name(),
        "kernel " + kernel.name() + " " + message,
        code.place(found.at(), name()),
        item(found.group(), found.item()),
        otherPlace,
        otherItem,
        found.isSame(),
        found.count());
  }

  private KernelFinding race() {
    boolean isSameGroup = found.group() == found.otherGroup();
    String between =
        found.otherItem() < 0 || isSameGroup
            ? "another work item of the workgroup"
            : "a work item of another workgroup";
    String message =
        FindingText.race(found.verb(), what(), between, found.otherVerb(), found.isSame());
    return finding(
        KernelChecks.RACES,
        message,
        found.otherAt() == 0 ? null : code.place(found.otherAt(), name()),
        found.otherItem() < 0 ? "another work item" : item(found.otherGroup(), found.otherItem()));
  }

  private String ended() {
    Workgroups size = kernel.workgroupSize();
    return ("waits at a barrier that %s of the %s work items of the workgroup never reach, because"
            + " they have ended, such as %s")
        .formatted(
            found.mask(),
            size.x() * size.y() * size.z(),
            item(found.otherGroup(), found.otherItem()));
  }

  /** Code for one line of the source may be in several places. */
  private @Nullable KernelFinding diverged() {
    KernelFinding.Place one = code.place(found.at(), "");
    KernelFinding.Place other = code.place(found.otherAt(), "");
    if (one == null
        || other == null
        || (one.line() == other.line() && one.file().equals(other.file()))) {
      return null;
    }
    return finding(
        KernelChecks.BARRIERS,
        "waits at different barriers",
        other,
        item(found.otherGroup(), found.otherItem()));
  }

  private String name() {
    int range = found.range();
    return range < 0
        ? ""
        : range >= NativeFinding.SHARED
            ? variable().name()
            : range == NativeFinding.DYNAMIC
                ? "dynamic shared memory"
                : kernel.parameter(range).name();
  }

  private SharedVariables.Variable variable() {
    return code.variable(found.range() - NativeFinding.SHARED);
  }

  private String outside() {
    if (found.address() >= 0 && found.address() < PAGE) {
      return found.verb()
          + " the address 0x%x, as through a null pointer".formatted(found.address());
    }
    if (found.range() < 0) {
      return "%s the address 0x%x, which is in none of its buffers"
              .formatted(found.verb(), found.address())
          + check.whose(grid, found.address());
    }
    long length =
        found.range() >= NativeFinding.SHARED
            ? variable().size()
            : found.range() == NativeFinding.DYNAMIC
                ? kernel.dynamicSharedMemory()
                : grid.length(found.range());
    String neighbour =
        found.range() >= NativeFinding.DYNAMIC || found.offset() < 0
            ? ""
            : grid.behind(found.range());
    return FindingText.outside(
            found.verb(), name(), element(), whole(length), found.offset(), length)
        + neighbour
        + check.whose(grid, found.address());
  }

  private String whole(long length) {
    if (found.range() >= NativeFinding.DYNAMIC) {
      return length + " bytes of shared memory";
    }
    Parameter parameter = kernel.parameter(found.range());
    return length / parameter.type().bytes() + " (" + parameter.typeName() + ")";
  }

  /** The element with what it is of. */
  private String what() {
    String known = sharedElement();
    return known == null ? "%s of '%s'".formatted(element(), name()) : "'" + known + "'";
  }

  /** An element of a variable in shared memory as the source calls it; null if it is not known. */
  private @Nullable String sharedElement() {
    int variable = found.range() - NativeFinding.SHARED;
    return variable < 0 ? null : code.element(variable, found.offset());
  }

  private String element() {
    String known = sharedElement();
    if (known != null) {
      return known;
    }
    if (found.range() >= NativeFinding.DYNAMIC) {
      long offset = found.offset();
      long size = Math.max(1, found.size());
      return offset % size == 0
          ? "element %s (%s bytes each)".formatted(offset / size, size)
          : "byte " + offset;
    }
    Parameter parameter = kernel.parameter(found.range());
    return "element " + Math.floorDiv(found.offset(), (long) parameter.type().bytes());
  }

  /** A work item, by its numbers in the grid. */
  private String item(long group, int item) {
    return item(grid, group, item);
  }

  private static String item(CpuGrid grid, long group, int item) {
    Workgroups size = grid.loaded().workgroupSize();
    Workgroups groups = grid.groups();
    return "work item %s of workgroup %s"
        .formatted(
            FindingText.indexes(item, size.x(), size.y()),
            FindingText.indexes(group, groups.x(), groups.y()));
  }
}
