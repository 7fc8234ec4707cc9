// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.check;

import java.util.List;
import java.util.Objects;
import org.jhal.KernelFinding;

/** Puts together what is found of one piece of work. */
public final class CheckReports {
  private CheckReports() {}

  /** Adds a finding, or counts it to one with the same text: code may be in several places. */
  public static void add(List<CheckReport> reports, CheckReport report) {
    for (int i = 0; i < reports.size(); i++) {
      CheckReport other = reports.get(i);
      if (isSame(other.finding(), report.finding())) {
        long count = other.finding().count() + report.finding().count();
        reports.set(
            i, new CheckReport(withCount(other.finding(), count), other.source(), other.strip()));
        return;
      }
    }
    reports.add(report);
  }

  /** The same, found so often. */
  public static KernelFinding withCount(KernelFinding of, long count) {
    return new KernelFinding(
        of.check(),
        of.kernel(),
        of.message(),
        of.place(),
        of.item(),
        of.otherPlace(),
        of.otherItem(),
        of.isBenign(),
        count);
  }

  /** Whether two have the same kind and places. */
  private static boolean isSame(KernelFinding a, KernelFinding b) {
    return a.check().equals(b.check())
        && a.kernel().equals(b.kernel())
        && a.isBenign() == b.isBenign()
        && (haveSamePlaces(a, b) || haveSwappedPlaces(a, b));
  }

  private static boolean haveSamePlaces(KernelFinding a, KernelFinding b) {
    return Objects.equals(a.place(), b.place())
        && Objects.equals(a.otherPlace(), b.otherPlace())
        && kind(a.message()).equals(kind(b.message()));
  }

  /** A race may be found by either work item. */
  private static boolean haveSwappedPlaces(KernelFinding a, KernelFinding b) {
    return a.place() != null
        && a.otherPlace() != null
        && a.place().equals(b.otherPlace())
        && a.otherPlace().equals(b.place());
  }

  /** A message without the numbers of elements. */
  private static String kind(String message) {
    return message.replaceAll("-?[0-9]+", "0");
  }
}
