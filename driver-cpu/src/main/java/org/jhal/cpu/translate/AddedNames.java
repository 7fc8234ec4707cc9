// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.translate;

/** The names of functions and classes that the translation adds to those of the source. */
final class AddedNames {
  private static final String CLONE = "hal_clone_";
  private static final String METHOD = "hal_method_";
  private static final String OBJECT = "hal_object_";

  /** The parameter of such a function that stands for the object. */
  static final String THIS = "hal_this";

  private AddedNames() {}

  /** The name of the clone of a function that takes the item. */
  static String ofClone(String function) {
    return CLONE + function;
  }

  /** The name of the function that does the same as a method. */
  static String ofMethod(String owner, String method) {
    return METHOD + owner + "_" + method;
  }

  /** The name of the class without methods for which there are functions. */
  static String ofObject(String owner) {
    return OBJECT + owner;
  }

  /** The name that a function has without the item. */
  static String withoutItem(String function) {
    return function.startsWith(CLONE) ? function.substring(CLONE.length()) : function;
  }

  /** A message with names that the source has. */
  static String inMessage(String message) {
    return message.replace(CLONE, "").replace(METHOD, "").replace(OBJECT, "");
  }
}
