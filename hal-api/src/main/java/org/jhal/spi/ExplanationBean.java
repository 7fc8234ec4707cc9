// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jhal.Hal;
import org.jhal.HalMXBean;
import org.jspecify.annotations.Nullable;

/**
 * The {@link HalMXBean} in the platform's MBean server. Only this class needs the module {@code
 * java.management}, and cannot be loaded without it.
 *
 * <p>Used by one thread at a time; see {@link BeanThread}.
 */
final class ExplanationBean implements HalMXBean {
  private static final System.Logger LOG = System.getLogger(ExplanationBean.class.getName());
  private static final int MOST_COPIES = 1_000;

  /** The name of the registered bean, or null if none is registered. */
  private static @Nullable ObjectName registered;

  private ExplanationBean() {}

  @Override
  public String explain() {
    return Hal.explain();
  }

  /** Registers or unregisters the bean; does nothing if that has already been done. */
  static void change(boolean isWanted) throws JMException {
    ObjectName name = registered;
    if (isWanted == (name != null)) {
      return;
    }
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    if (name == null) {
      registered = register(server);
      return;
    }
    registered = null;
    try {
      server.unregisterMBean(name);
    } catch (InstanceNotFoundException e) {
      LOG.log(Level.DEBUG, "other code has unregistered the JMX bean", e);
    }
  }

  private static ObjectName register(MBeanServer server) throws JMException {
    for (int copy = 1; ; copy++) {
      ObjectName name = new ObjectName("org.jhal:type=Hal" + (copy == 1 ? "" : ",copy=" + copy));
      try {
        var unused = server.registerMBean(new ExplanationBean(), name);
        return name;
      } catch (InstanceAlreadyExistsException e) {
        if (copy == MOST_COPIES) {
          throw e;
        }
      }
    }
  }
}
