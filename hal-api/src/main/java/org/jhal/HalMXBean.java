// SPDX-License-Identifier: Apache-2.0
package org.jhal;

/**
 * {@link Hal#explain} through JMX, as {@code org.jhal:type=Hal} in the platform's MBean server, to
 * examine a process that hangs.
 *
 * <p>The bean is registered shortly after the first device was opened. It is unregistered when the
 * last one was closed, because it keeps the class loader of JHAL alive. A separate thread does
 * this, and no call waits for it: if the platform's MBean server has not been used before, starting
 * it takes about 40 ms of processor time. If a copy of JHAL in another class loader has registered
 * the name, the bean is called {@code org.jhal:type=Hal,copy=2} and so on. There is no bean without
 * the module {@code java.management}; a modular program that does not require it can add it with
 * {@code --add-modules java.management}.
 */
public interface HalMXBean {
  /**
   * Returns the text of {@link Hal#explain}. An operation rather than an attribute, because it
   * takes time.
   */
  String explain();
}
