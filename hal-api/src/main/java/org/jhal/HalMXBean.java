// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@link Hal#explain} and {@link Hal#deviceStates} through JMX, as {@code org.jhal:type=Hal} in the
 * platform's MBean server, to examine a process that hangs and to monitor one that works.
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
   * The system property that is set while the bean is registered, to its name. Tools that look for
   * processes with devices need not start a JMX agent in each of them.
   */
  String PROPERTY = "jhal.jmx";

  /**
   * Returns the text of {@link Hal#explain}. An operation rather than an attribute, because it
   * takes time.
   */
  String explain();

  /** Returns the state of each open device, oldest first: {@link Hal#deviceStates}. */
  List<DeviceBean> getDevices();

  /**
   * A {@link DeviceState} as numbers and texts. Each method is an item of the attribute {@code
   * Devices}, such as {@code openOperations}.
   */
  interface DeviceBean {
    /** Returns the name of the device, such as {@code cuda-0}. */
    String getName();

    /** Returns the name of its driver, such as {@code cuda}. */
    String getDriver();

    /** Returns why the device is lost, or null if it is not. */
    @Nullable String getLostCause();

    /** Returns the size of the memory of its buffers in bytes. */
    long getMemoryBytes();

    /** Returns the size of its memory in bytes, as {@link DeviceInfo#memoryBytes}. */
    long getMemoryLimitBytes();

    /** Returns {@link DeviceStatistics#liveResources}. */
    long getLiveResources();

    /** Returns {@link DeviceStatistics#openOperations}. */
    long getOpenOperations();

    /** Returns {@link DeviceStatistics#parked}. */
    long getParkedOperations();

    /** Returns {@link DeviceStatistics#ready}. */
    long getReadyOperations();

    /** Returns {@link DeviceStatistics#issued}. */
    long getIssuedOperations();

    /** Returns {@link DeviceStatistics#settled}. */
    long getSettledOperations();

    /** Returns {@link DeviceStatistics#enqueued}. */
    long getEnqueuedCount();

    /** Returns {@link DeviceStatistics#retired}. */
    long getRetiredCount();

    /** Returns {@link DeviceStatistics#failed}. */
    long getFailedCount();

    /** Returns {@link DeviceStatistics#uploadedBytes}. */
    long getUploadedBytes();

    /** Returns {@link DeviceStatistics#readbackBytes}. */
    long getReadbackBytes();

    /** Returns {@link GraphStatistics#launches}. */
    long getGraphLaunchCount();

    /** Returns {@link GraphStatistics#bytes}. */
    long getGraphBytes();

    /** Returns {@link DeviceState#oldestOperation}. */
    String getOldestOperation();

    /** Returns {@link DeviceState#oldestAge} in milliseconds. */
    long getOldestAgeMillis();
  }
}
