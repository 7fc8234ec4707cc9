// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

import java.util.List;

/** What the translator writes, for tests that look at it. */
final class Translations {
  private Translations() {}

  /**
   * What is written for a source.
   *
   * @param kernel the name of its kernel
   * @param width of a workgroup, in items
   */
  static String of(String source, String kernel, int width, int height) {
    List<KernelRequest> requests = List.of(new KernelRequest(kernel, width, height, 1));
    return Translator.translate("# 1 \"a.cpp\"\n" + source, requests, null).text();
  }

  /** How often a regular expression is found in a text. */
  static int count(String expression, String text) {
    return text.split(expression, -1).length - 1;
  }
}
