// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jhal.HalException;
import org.jhal.KernelFinding;
import org.jhal.Status;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Submission;
import org.jhal.kernels.check.CheckReport;
import org.jhal.kernels.check.CheckReports;
import org.jhal.kernels.check.KernelChecks;
import org.jspecify.annotations.Nullable;

/**
 * Checks the dispatches of a device, one at a time, as they share what the native runtime keeps
 * about them.
 *
 * <p>Thread-safe.
 */
final class CpuCheck {
  /** How many freed blocks are remembered. */
  private static final int FREED = 256;

  private final KernelChecks checks;

  // By address; these two guarded by `blocks`.
  private final NavigableMap<Long, Block> blocks = new TreeMap<>();
  private final Map<Long, Freed> freed = new LinkedHashMap<>(); // the latest last
  private volatile long address; // 0 before it is opened, and once it is closed

  /** For a device. */
  CpuCheck(KernelChecks checks) {
    this.checks = checks;
  }

  /**
   * Opens it, once the runtime is loaded.
   *
   * @param threads how many run kernels
   */
  void open(int threads) {
    address = HalRuntime.hal_check_make(checks.bits(), threads);
    if (address == 0) {
      throw new HalException(Status.RESOURCE_EXHAUSTED, "no memory for checks of kernels");
    }
  }

  /** What is checked, as a sum of the numbers of {@code hal_check.h}. */
  int what() {
    return checks.bits();
  }

  /** What is checked, and what happens to findings. */
  KernelChecks checks() {
    return checks;
  }

  /** A block that is gone. */
  private record Freed(long size, String name) {}

  /** Notes a block, whose addresses may be those of one that was freed. */
  void allocated(Block block) {
    synchronized (blocks) {
      blocks.put(block.address(), block);
    }
  }

  /** Notes that a block is freed. */
  void freed(Block block) {
    synchronized (blocks) {
      if (blocks.remove(block.address(), block)) {
        freed.remove(block.address()); // to be the latest
        freed.put(block.address(), new Freed(block.size(), block.name()));
        if (freed.size() > FREED) {
          freed.remove(freed.keySet().iterator().next());
        }
      }
    }
  }

  /**
   * In which buffer of the device an address is or was, as the end of a message; empty if in none,
   * or in one that the dispatch has.
   */
  String whose(CpuGrid grid, long address) {
    synchronized (blocks) {
      Map.Entry<Long, Block> below = blocks.floorEntry(address);
      if (below != null && address - below.getKey() < below.getValue().size()) {
        return Arrays.asList(grid.blocks()).contains(below.getValue())
            ? ""
            : ", in another buffer of the device" + named(below.getValue().name());
      }
      String found = "";
      for (Map.Entry<Long, Freed> each : freed.entrySet()) {
        long offset = address - each.getKey();
        if (offset >= 0 && offset < each.getValue().size()) {
          found = ", in a buffer that was freed" + named(each.getValue().name());
        }
      }
      return found;
    }
  }

  private static String named(String name) {
    return name.isEmpty() ? "" : ", '%s' of the last kernel that had it".formatted(name);
  }

  /** Keeps what is known of the bytes of a block. */
  long shadow(long base, long size, boolean isAllWritten) {
    long made = HalRuntime.hal_shadow_make(address, base, size, isAllWritten ? 1 : 0);
    if (made == 0) {
      throw new HalException(Status.RESOURCE_EXHAUSTED, "no memory for checks of a buffer");
    }
    return made;
  }

  /** For {@link HalRuntime#hal_function_check}. */
  long address() {
    return address;
  }

  /**
   * Runs a dispatch, and reports what is wrong with it.
   *
   * @param failed gets what the operation fails by: what was found before why the dispatch ended
   * @param dispatch runs it, and says why it failed
   */
  synchronized void run(
      CpuGrid grid,
      CheckedCode code,
      Consumer<HalException> failed,
      Consumer<Consumer<HalException>> dispatch) {
    HalRuntime.hal_check_begin(address);
    grid.writeRanges(address);
    code.writeVariables(address);
    List<HalException> failures = new ArrayList<>();
    dispatch.accept(failures::add);
    checks.report(reports(grid, code), failures, failed);
    failures.forEach(failed);
  }

  private List<CheckReport> reports(CpuGrid grid, CheckedCode code) {
    List<CheckReport> reports = new ArrayList<>();
    boolean hasEnded = false;
    for (int i = 0; i < HalRuntime.hal_check_found(address); i++) {
      NativeFinding found = NativeFinding.read(address, i);
      hasEnded |= found.endsItem();
      KernelFinding finding = CheckText.finding(grid, code, found, this);
      if (finding != null) {
        CheckReport.Strip strip = checks.fails() ? null : CheckText.strip(grid, found, address);
        CheckReports.add(reports, report(finding, code, strip));
      }
    }
    if (!hasEnded) { // whoever has may have left outputs unwritten
      CheckText.noteOutputs(grid, code, address);
    }
    return reports;
  }

  private static CheckReport report(
      KernelFinding finding, CheckedCode code, CheckReport.@Nullable Strip strip) {
    KernelFinding.Place place = finding.place();
    return new CheckReport(finding, place == null ? List.of() : code.lines(place.file()), strip);
  }

  /** Reports what is wrong with a readback of a part of a block. */
  void readBack(Block block, long offset, long length, Submission submission) {
    checks.report(block.unwritten(offset, length), List.of(), submission::fail);
  }

  /** Frees it. No dispatch runs any more. */
  synchronized void close() {
    HalRuntime.hal_check_free(address); // 0 is allowed
    address = 0;
  }
}
