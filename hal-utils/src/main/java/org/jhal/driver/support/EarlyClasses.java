// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;

/**
 * Initialises classes before any work depends on them. A class whose initialisation fails, such as
 * on a thread whose stack is nearly full, can never be used again in its process.
 */
public final class EarlyClasses {
  private EarlyClasses() {}

  /**
   * Initialises the classes that a text file lists by their full names, one on each line, and their
   * nested classes. If packaging has renamed them, their first use initialises them.
   *
   * @param near a class in the folder of the file, whose loader finds the classes
   * @throws LinkageError if the initialisation of one fails, or has failed before
   */
  public static void initialize(Class<?> near, String file) {
    try (InputStream list = near.getResourceAsStream(file)) {
      String names = list == null ? "" : new String(list.readAllBytes(), UTF_8);
      for (String name : names.lines().toList()) {
        initialize(Class.forName(name, true, near.getClassLoader()));
      }
    } catch (IOException | ClassNotFoundException e) {
      return; // see above
    }
  }

  /**
   * Initialises classes and their nested classes, unless they are initialised.
   *
   * @param outermost classes that are nested in no other
   * @throws LinkageError if the initialisation of one fails, or has failed before
   */
  public static void initialize(Class<?>... outermost) {
    for (Class<?> host : outermost) {
      for (Class<?> member : host.getNestMembers()) {
        try {
          Class<?> unused = Class.forName(member.getName(), true, member.getClassLoader());
        } catch (ClassNotFoundException e) {
          throw new AssertionError("this class was loaded before: " + member, e);
        }
      }
    }
  }
}
