// SPDX-License-Identifier: Apache-2.0
package org.jhal.spi;

import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jhal.DeviceState;
import org.jhal.Hal;
import org.jhal.HalException;
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

  @Override
  public List<DeviceBean> getDevices() {
    return Hal.deviceStates().stream().<DeviceBean>map(StateBean::new).toList();
  }

  /** The methods of the interface are the items of an open type. */
  private record StateBean(DeviceState state) implements DeviceBean {
    @Override
    public String getName() {
      return state.name();
    }

    @Override
    public String getDriver() {
      return state.info().driver();
    }

    @Override
    public @Nullable String getLostCause() {
      HalException cause = state.lostCause();
      return cause == null ? null : String.valueOf(cause.getMessage());
    }

    @Override
    public long getMemoryBytes() {
      return state.statistics().bytes();
    }

    @Override
    public long getMemoryLimitBytes() {
      return state.info().memoryBytes();
    }

    @Override
    public long getLiveResources() {
      return state.statistics().liveResources();
    }

    @Override
    public long getOpenOperations() {
      return state.statistics().openOperations();
    }

    @Override
    public long getParkedOperations() {
      return state.statistics().parked();
    }

    @Override
    public long getReadyOperations() {
      return state.statistics().ready();
    }

    @Override
    public long getIssuedOperations() {
      return state.statistics().issued();
    }

    @Override
    public long getSettledOperations() {
      return state.statistics().settled();
    }

    @Override
    public long getEnqueuedCount() {
      return state.statistics().enqueued();
    }

    @Override
    public long getRetiredCount() {
      return state.statistics().retired();
    }

    @Override
    public long getFailedCount() {
      return state.statistics().failed();
    }

    @Override
    public long getUploadedBytes() {
      return state.statistics().uploadedBytes();
    }

    @Override
    public long getReadbackBytes() {
      return state.statistics().readbackBytes();
    }

    @Override
    public long getGraphLaunchCount() {
      return state.statistics().graphs().launches();
    }

    @Override
    public long getGraphBytes() {
      return state.statistics().graphs().bytes();
    }

    @Override
    public String getOldestOperation() {
      return state.oldestOperation();
    }

    @Override
    public long getOldestAgeMillis() {
      return state.oldestAge().toMillis();
    }
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
    System.getProperties().remove(PROPERTY, name.toString());
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
        System.setProperty(PROPERTY, name.toString());
        return name;
      } catch (InstanceAlreadyExistsException e) {
        if (copy == MOST_COPIES) {
          throw e;
        }
      }
    }
  }
}
