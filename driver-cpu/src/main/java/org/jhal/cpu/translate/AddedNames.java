// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

/** The names of functions that the translation adds to those of the source. */
final class AddedNames {
  private static final String GIVEN = "hal_given_";
  private static final String METHOD = "hal_method_";

  private AddedNames() {}

  /** The name of what does the same as a function, and is given the item. */
  static String given(String function) {
    return GIVEN + function;
  }

  /** The name of the function that does the same as a static method. */
  static String ofMethod(String owner, String method) {
    return METHOD + owner + "_" + method;
  }

  /** The name that a function has without the item. */
  static String withoutItem(String function) {
    return function.startsWith(GIVEN) ? function.substring(GIVEN.length()) : function;
  }

  /** A message with names that the source has. */
  static String inMessage(String message) {
    return message.replace(GIVEN, "").replace(METHOD, "");
  }
}
