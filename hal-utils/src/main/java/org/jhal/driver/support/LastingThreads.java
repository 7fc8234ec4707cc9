// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.function.Supplier;

/**
 * Calls of other software that may start threads which outlive the call, such as the cleaner of
 * JNA, or the JDK's thread that waits for processes. A thread inherits the context class loader of
 * the one that starts it, and before Java 24 also refers to all classes on its stack: without this,
 * an application could not be unloaded where JHAL is shared by several.
 *
 * <p>Any thread may use it.
 */
public final class LastingThreads {
  private LastingThreads() {}

  /** Makes a call from which threads inherit nothing of the callers of JHAL. */
  @SuppressWarnings("removal") // of the security manager, after which a thread inherits no stack
  public static <T> T start(Supplier<T> call) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(null);
    try {
      return AccessController.doPrivileged((PrivilegedAction<T>) call::get);
    } finally {
      thread.setContextClassLoader(before);
    }
  }
}
