// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jhal.KernelFinding;
import org.jhal.kernels.check.CheckReport;
import org.junit.jupiter.api.Test;

/** What stands in the page of {@code hal check}, whatever names and sources contain. */
class CheckPageTest {
  private static final String BAD = "<script>\"&'</script>";

  private static String page(KernelFinding finding, List<String> source) {
    CheckReport.Element element = new CheckReport.Element(true, BAD, 3, BAD, 4);
    CheckReport.Strip strip = new CheckReport.Strip(BAD, BAD, 0, 0, List.of(element));
    return CheckPage.of(BAD, List.of(new CheckReport(finding, source, strip)));
  }

  @Test
  void allTextIsEscaped() {
    KernelFinding.Place place = new KernelFinding.Place(BAD, 1, BAD, 0, 8);
    KernelFinding finding = new KernelFinding(BAD, BAD, BAD, place, BAD, place, BAD, false, 2);
    for (List<String> source : List.of(List.of("  " + BAD), List.<String>of())) {
      String page = page(finding, source);
      assertFalse(page.contains("<script"), page);
      assertFalse(page.contains("\"&'"), page);
      assertTrue(page.contains("<mark>&lt;script&gt;</mark>"), page);
    }
  }

  @Test
  void aPlaceMayHaveAnotherLineThanTheSource() {
    KernelFinding.Place place = new KernelFinding.Place("a.cu", 9, "gone();", 0, 4);
    KernelFinding finding =
        new KernelFinding("races", "k", "races", place, "item", null, "", true, 1);
    String page = page(finding, List.of("one", "two"));
    assertTrue(page.contains("a.cu:9"), page);
  }

  @Test
  void nothingMayBeWrong() {
    assertTrue(CheckPage.of("b", List.of()).contains("Nothing is wrong"));
  }
}
