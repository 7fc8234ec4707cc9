// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Submission;

/**
 * Checks the dispatches of a device, one at a time, as they share what the native runtime keeps
 * about them.
 *
 * <p>Thread-safe.
 */
final class CpuCheck {
  /** The checks, in the order of their bits in {@code hal_check.h}. */
  static final List<String> ALL = List.of("memory", "races", "barriers", "values");

  /** The findings of all devices that only report them, up to this many. */
  private static final int MOST_REPORTED = 1000;

  private static final List<Finding> REPORTED = new ArrayList<>(); // guarded by itself

  private final int what;
  private final boolean fails;
  private volatile long address; // 0 before it is opened, and once it is closed

  /**
   * For a device.
   *
   * @param what the sum of what is checked, see {@link #parse}
   * @param fails whether a finding fails the operation; otherwise {@link #takeReported} returns it
   */
  CpuCheck(int what, boolean fails) {
    this.what = what;
    this.fails = fails;
  }

  /**
   * Opens it, once the runtime is loaded.
   *
   * @param threads how many run kernels
   */
  void open(int threads) {
    address = HalRuntime.hal_check_make(what, threads);
    if (address == 0) {
      throw new HalException(Status.RESOURCE_EXHAUSTED, "no memory for checks of kernels");
    }
  }

  /**
   * What an option says: some of {@link #ALL}, separated by commas, or {@code all}.
   *
   * @throws HalException INVALID_ARGUMENT if it says something else
   */
  static int parse(String option) {
    int what = 0;
    for (String name : option.split(",", -1)) {
      int index = ALL.indexOf(name.strip());
      if (index < 0 && !name.strip().equals("all")) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "check has '%s'; known are all, %s".formatted(name, String.join(", ", ALL)));
      }
      what |= index < 0 ? (1 << ALL.size()) - 1 : 1 << index;
    }
    return what;
  }

  /** What is checked, as a sum of the numbers of {@code hal_check.h}. */
  int what() {
    return what;
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
    report(findings(grid, code), failures, failed);
    failures.forEach(failed);
  }

  private List<Finding> findings(CpuGrid grid, CheckedCode code) {
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < HalRuntime.hal_check_found(address); i++) {
      Finding finding = CheckText.finding(grid, code, NativeFinding.read(address, i));
      if (finding != null) {
        merge(findings, finding);
      }
    }
    CheckText.noteOutputs(grid, code, address);
    return findings;
  }

  /** Reports what is wrong with a readback of a part of a block. */
  void readBack(Block block, long offset, long length, Submission submission) {
    report(block.unwritten(offset, length), List.of(), submission::fail);
  }

  private void report(
      List<Finding> findings, List<HalException> failures, Consumer<HalException> failed) {
    if (fails) {
      if (!findings.stream().allMatch(Finding::isBenign)) {
        HalException wrong = failure(findings);
        failures.forEach(wrong::addSuppressed);
        failed.accept(wrong);
      }
      return;
    }
    synchronized (REPORTED) {
      findings.stream().limit(MOST_REPORTED - REPORTED.size()).forEach(REPORTED::add);
    }
  }

  /** Adds a finding, or counts it to one with the same text: code may be in several places. */
  private static void merge(List<Finding> findings, Finding finding) {
    for (int i = 0; i < findings.size(); i++) {
      Finding other = findings.get(i);
      if (other.isSame(finding)) {
        findings.set(i, other.withCount(other.count() + finding.count()));
        return;
      }
    }
    findings.add(finding);
  }

  private static HalException failure(List<Finding> findings) {
    String text = findings.stream().map(Finding::toString).collect(Collectors.joining("\n"));
    return new HalException(Status.ABORTED, "the kernel is wrong: " + text);
  }

  /** What was found and reported in this process since the last call. */
  static List<Finding> takeReported() {
    synchronized (REPORTED) {
      List<Finding> taken = List.copyOf(REPORTED);
      REPORTED.clear();
      return taken;
    }
  }

  /** Frees it. No dispatch runs any more. */
  synchronized void close() {
    HalRuntime.hal_check_free(address); // 0 is allowed
    address = 0;
  }
}
