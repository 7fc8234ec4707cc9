// SPDX-License-Identifier: Apache-2.0
package org.jhal.faults;

import java.util.List;
import org.jhal.Device;

/** A program with one mistake in the order of its operations, and its sound twin. */
public interface OrderFault {
  /**
   * Runs one of the twins. They differ in the one place that asks for {@code twin}.
   *
   * @param devices as many as the entry says; of any drivers, and two may be of different ones
   * @return what the program computes
   * @throws org.jhal.HalException what an operation throws
   */
  float[] run(List<Device> devices, Twin twin) throws InterruptedException;

  /** What the sound twin computes, on every device. */
  float[] expected();

  /** Runs the program with the mistake: the result may be anything, and operations may fail. */
  default float[] faulty(List<Device> devices) throws InterruptedException {
    return run(devices, Twin.FAULTY);
  }

  /** Runs the program without the mistake. */
  default float[] sound(List<Device> devices) throws InterruptedException {
    return run(devices, Twin.SOUND);
  }
}
