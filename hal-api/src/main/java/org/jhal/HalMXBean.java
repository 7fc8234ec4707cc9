package org.jhal;

/**
 * {@link Hal#explain} through JMX, as {@code org.jhal:type=Hal} in the platform's MBean server, for
 * a process that no longer does what it should.
 *
 * <p>The bean is registered shortly after the first device was opened, and unregistered when the
 * last one was closed, since it keeps the class loader of JHAL alive. A thread of its own does
 * that: if nothing has used the platform's MBean server before, starting it takes some 40 ms of
 * processor time, for which no call waits. If a copy of JHAL in another class loader has that name,
 * it is {@code org.jhal:type=Hal,copy=2} and so on. There is none without the module {@code
 * java.management}; a modular program that does not require it gets it with {@code --add-modules
 * java.management}.
 */
public interface HalMXBean {
  /** What {@link Hal#explain} returns. An operation rather than an attribute, as it takes time. */
  String explain();
}
