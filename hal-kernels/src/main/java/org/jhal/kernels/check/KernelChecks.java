// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.check;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jhal.HalException;
import org.jhal.KernelFinding;
import org.jhal.Status;

/**
 * What a device checks while kernels run, and what happens to findings.
 *
 * <p>Immutable; any thread may use it.
 */
public final class KernelChecks {
  /** Accesses outside memory, and those of a kind that an argument does not allow. */
  public static final String MEMORY = "memory";

  /** Accesses without an order between them. */
  public static final String RACES = "races";

  /** Work items that do not meet others where they must. */
  public static final String BARRIERS = "barriers";

  /** Values that are not defined. */
  public static final String VALUES = "values";

  private static final List<String> ALL = List.of(MEMORY, RACES, BARRIERS, VALUES);

  /** The findings of all devices that only report them, up to this many. */
  private static final int MOST_REPORTED = 1000;

  private static final List<CheckReport> REPORTED = new ArrayList<>(); // guarded by itself

  private final int what;
  private final boolean fails;

  /**
   * For a device.
   *
   * @param checks some of the names, separated by commas, or {@code all}
   * @param fails whether a finding fails the operation; otherwise {@link CheckTool#take} returns it
   * @throws HalException INVALID_ARGUMENT if there is no such check
   */
  public KernelChecks(String checks, boolean fails) {
    this.what = parse(checks);
    this.fails = fails;
  }

  static int parse(String checks) {
    int what = 0;
    for (String name : checks.split(",", -1)) {
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

  /** Whether a check is one of them, by its name. */
  public boolean has(String check) {
    return (what >> ALL.indexOf(check) & 1) != 0;
  }

  /** A bit for each of the checks: memory, races, barriers, values, from the lowest one on. */
  public int bits() {
    return what;
  }

  /** Whether a finding fails the operation. */
  public boolean fails() {
    return fails;
  }

  /**
   * Does with the findings of a piece of work what the device is to do with them.
   *
   * @param failures what the work has failed by for other reasons
   * @param failed gets what the operation fails by because of the findings, if it does
   */
  public void report(
      List<CheckReport> reports,
      List<? extends Throwable> failures,
      Consumer<? super HalException> failed) {
    if (!fails) {
      synchronized (REPORTED) {
        reports.stream().limit(MOST_REPORTED - REPORTED.size()).forEach(REPORTED::add);
      }
      return;
    }
    List<KernelFinding> findings = reports.stream().map(CheckReport::finding).toList();
    if (!findings.stream().allMatch(KernelFinding::isBenign)) {
      String text =
          findings.stream().map(KernelFinding::toString).collect(Collectors.joining("\n"));
      HalException wrong = HalException.ofFindings("the kernel is wrong: " + text, findings);
      failures.forEach(wrong::addSuppressed);
      failed.accept(wrong);
    }
  }

  /** What was found and reported in this process since the last call. */
  static List<CheckReport> takeReported() {
    synchronized (REPORTED) {
      List<CheckReport> taken = List.copyOf(REPORTED);
      REPORTED.clear();
      return taken;
    }
  }
}
