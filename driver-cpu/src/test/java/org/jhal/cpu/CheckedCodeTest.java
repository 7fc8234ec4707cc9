// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.jhal.KernelFinding;
import org.junit.jupiter.api.Test;

/** What is marked in the line of a finding. */
class CheckedCodeTest {
  private static String marked(String text, String name) {
    KernelFinding.Place place = CheckedCode.place("k.cpp", 1, text, name);
    return text.substring(place.column(), place.column() + place.length());
  }

  @Test
  void anAccessIsMarkedWithItsSubscripts() {
    assertEquals("tile[y][x + 1]", marked("sum += tile[y][x + 1] * tiles[0];", "tile"));
    assertEquals("y[i]", marked("y[i] = fmaf(a, x[i], y[i]);", "y"), "either of the two");
  }

  @Test
  void accessesThatDifferAreMarkedTogether() {
    assertEquals(
        "s[t - 1] + 0.5f * s[t] + s[t + 1]",
        marked("out[i] = s[t - 1] + 0.5f * s[t] + s[t + 1];", "s"));
  }

  @Test
  void withoutTheNameTheWholeLineIsMarked() {
    assertEquals("*p++ = 0;", marked("*p++ = 0;", "target"));
  }
}
