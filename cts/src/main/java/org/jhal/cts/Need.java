// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts;

import org.jhal.DeviceInfo;

/** What a test may need in addition to a device. If it is absent, the test is unsupported. */
public enum Need {
  /** The backend returns {@link CtsBackend#controls}. */
  CONTROLS("the backend provides no Controls for its devices"),
  /** A second queue. */
  TWO_QUEUES("the device has one queue"),
  /** A device that can be opened with two or three queues: {@link DeviceInfo#maxQueues}. */
  THREE_QUEUES("the device can be opened with two queues at most"),
  /** A device that detects kernels which give up: {@link DeviceInfo#reportsKernelFailures}. */
  KERNEL_FAILURES("the device does not report that a kernel gave up"),
  /** A native runtime that recognizes foreign memory: {@link CtsBackend#reportsForeignMemory}. */
  FOREIGN_MEMORY("the native runtime does not recognize foreign memory"),
  /** The backend opens one: {@link CtsBackend#openSecond}. */
  SECOND_DEVICE("the backend opens no second device"),
  /** The backend opens a device of one: {@link CtsBackend#openOther}. */
  OTHER_DRIVER("there is no device of another driver"),
  /** A second device, and {@link CtsBackend#sharesEvents}. */
  SHARED_EVENTS("the devices of this driver do not wait for each other's events"),
  /** A second device; it and the device under test can use each other's memory. */
  PEER_MEMORY("the device and a second one cannot use each other's memory");

  private final String absence;

  Need(String absence) {
    this.absence = absence;
  }

  /** The reason in the report if it is absent. */
  public String absence() {
    return absence;
  }
}
