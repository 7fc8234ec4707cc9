// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jhal.BufferParams;
import org.jhal.Device;
import org.jhal.DeviceInfo;
import org.jhal.DeviceUri;
import org.jhal.ExecutableSource;
import org.jhal.cts.CtsBackend;
import org.jhal.cts.run.CtsRun;
import org.jhal.cts.run.report.CtsReport;
import org.jhal.cts.run.report.CtsReport.Outcome;
import org.jhal.driver.DeviceBackend;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.KernelModule;
import org.jhal.driver.NativeStream;
import org.jhal.driver.options.Settings;
import org.jhal.engine.EngineDevice;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.junit.jupiter.api.Test;

/** The driver with the other kind of stream passes what the suite asks of streams. */
class TimelineStreamTest {
  /** The device, with streams that implement {@link NativeStream#submit} themselves. */
  private record TimelineDevice(TinyDevice tiny) implements DeviceBackend<TimelineStream.Event> {
    @Override
    public DeviceInfo info() {
      return tiny.info();
    }

    @Override
    public Set<String> executableFormats() {
      return tiny.executableFormats();
    }

    @Override
    public NativeStream<TimelineStream.Event> createStream(int index) {
      return new TimelineStream(tiny, info().driver() + "-timeline" + index);
    }

    @Override
    public DeviceMemory allocate(long bytes, BufferParams params) {
      return tiny.allocate(bytes, params);
    }

    @Override
    public KernelModule load(ExecutableSource source, Variant variant, List<KernelSpec> kernels) {
      return tiny.load(source, variant, kernels);
    }

    @Override
    public void close() {
      tiny.close();
    }
  }

  private static final class TimelineDriver extends TinyDriver {
    @Override
    public Device open(DeviceUri uri) {
      Settings settings = settings(uri);
      TinyDevice tiny = new TinyDevice(select(uri, settings));
      return new EngineDevice<>(
          new TimelineDevice(tiny), ENGINE.configure(settings), settings.toList());
    }
  }

  private record Backend(CtsBackend tiny) implements CtsBackend {
    @Override
    public String driver() {
      return tiny.driver();
    }

    @Override
    public List<ExecutableSource> kernels() {
      return tiny.kernels();
    }

    @Override
    public Optional<String> memoryLimit(long bytes) {
      return tiny.memoryLimit(bytes);
    }

    @Override
    public Device open(String uri) {
      return new TimelineDriver().open(DeviceUri.parse(uri));
    }
  }

  @Test
  void passesTheTestsOfStreams() {
    String[] tests = {
      "CommandOrderTest",
      "DispatchTest",
      "MemoryLimitTest",
      "QueueDeallocaTest",
      "QueueAllocaTest",
      "QueueOrderTest"
    };
    CtsReport report =
        new CtsRun(new Backend(new TinyCtsBackend())).device("tiny").tests(tests).seed(1).run();
    List<CtsReport.Entry> failed =
        report.entries().stream().filter(entry -> entry.outcome() == Outcome.FAILED).toList();
    assertEquals(List.of(), failed);
    long passed =
        report.entries().stream().filter(entry -> entry.outcome() == Outcome.PASSED).count();
    assertTrue(passed >= 60, () -> passed + " tests passed");
  }
}
