// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.jhal.BufferParams;
import org.jhal.DeviceInfo;
import org.jhal.driver.Command;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.MappedRange;
import org.jhal.driver.NativeStream;
import org.jhal.driver.Submission;
import org.jhal.driver.support.Faults;
import org.jhal.driver.support.ReusableEvent;

/** A device with failing calls that {@code ControlledBackend}, in front of it, does not see. */
final class FailingTiny extends TinyDevice {
  /** The calls: handing a command to the stream, running it there, and flushing a mapping. */
  final Faults faults = new Faults(Set.of("command", "execute", "flush"));

  FailingTiny(DeviceInfo info) {
    super(info);
  }

  @Override
  public NativeStream<ReusableEvent<CountDownLatch>> createStream(int index) {
    return new TinyStream(this, info().driver() + "-stream" + index) {
      @Override
      TinyTask prepare(Command command, Submission submission) {
        faults.check("command");
        TinyTask task = super.prepare(command, submission);
        return () -> {
          faults.check("execute");
          task.run();
        };
      }
    };
  }

  @Override
  public DeviceMemory allocate(long bytes, BufferParams params) {
    return new TinyMemory(budget, bytes) {
      @Override
      public MappedRange map(long offset, int length) {
        ByteBuffer view = slice(offset, length);
        return new MappedRange() {
          @Override
          public ByteBuffer bytes() {
            return view;
          }

          @Override
          public void flush() {
            faults.check("flush");
          }
        };
      }
    };
  }
}
