// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.jhal.BufferParams;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.StreamBatch;
import org.jhal.driver.StreamSteps;
import org.jhal.driver.Submission;
import org.jhal.driver.UncoveredWorkException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Events that are recorded again and again over native events that fire once. */
class OneShotStreamTest {
  /** What has reached the runtime: waits with their events, and releases. */
  private final List<String> calls = new ArrayList<>();

  private final List<Integer> fired = new ArrayList<>();
  private @Nullable HalException refusal; // of waits
  private int recorded;

  /** Its events are numbers, counted from 1. */
  private final class Numbers extends OneShotStream<Integer> {
    @Override
    protected Integer record() {
      return ++recorded;
    }

    @Override
    protected void waitFor(List<Integer> events) {
      if (refusal != null) {
        throw refusal;
      }
      calls.add("wait " + events);
    }

    @Override
    protected boolean hasFired(Integer event) {
      return fired.contains(event);
    }

    @Override
    protected void synchronize(Integer event) {
      calls.add("synchronize " + event);
    }

    @Override
    protected @Nullable HalException outcomeOf(Integer event) {
      return event == 1 ? new HalException(Status.ABORTED, "the first one") : null;
    }

    @Override
    protected void release(Integer event) {
      calls.add("release " + event);
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {
      throw new AssertionError("there are no commands");
    }

    @Override
    protected DeviceMemory allocAsync(long bytes, BufferParams params, Submission submission) {
      throw new AssertionError("nothing is allocated");
    }

    @Override
    protected void freeAsync(DeviceMemory memory) {
      throw new AssertionError("nothing is freed");
    }

    @Override
    public boolean isIdle() {
      return true;
    }

    @Override
    public void close() {}
  }

  private final Numbers stream = new Numbers();
  private final StreamSteps<ReusableEvent<Integer>> steps = new StreamSteps<>(stream);

  private ReusableEvent<Integer> recording() {
    ReusableEvent<Integer> event = stream.createEvent();
    steps.recordEvent(event);
    return event;
  }

  private static StreamBatch<ReusableEvent<Integer>> waits(List<ReusableEvent<Integer>> events) {
    return new StreamBatch<>() {
      @Override
      public int waitCount() {
        return events.size();
      }

      @Override
      public ReusableEvent<Integer> waitEvent(int index) {
        return events.get(index);
      }
    };
  }

  @Test
  void theWaitsOfABatchAreOneCall() {
    ReusableEvent<Integer> first = recording();
    ReusableEvent<Integer> second = recording();
    assertNull(stream.submit(waits(List.of(first, second))));
    assertNull(stream.submit(waits(List.of())));
    steps.waitEvent(second);
    assertEquals(List.of("wait [1, 2]", "wait [2]"), calls);
  }

  @Test
  void aWaitThatIsRefusedKeepsNoRecordingAndLosesTheDevice() {
    ReusableEvent<Integer> event = recording();
    HalException why = new HalException(Status.INTERNAL, "no wait");
    refusal = why;
    UncoveredWorkException thrown =
        assertThrows(
            UncoveredWorkException.class, () -> stream.submit(waits(List.of(event, event))));
    assertEquals("waitEvent", thrown.call());
    assertSame(why, thrown.getCause());
    stream.destroyEvent(event);
    assertEquals(List.of("release 1"), calls);
  }

  @Test
  void queriesAreAboutTheLatestRecording() {
    ReusableEvent<Integer> event = recording();
    fired.add(1);
    assertTrue(stream.queryEvent(event));
    assertInstanceOf(HalException.class, stream.outcome(event));
    steps.recordEvent(event);
    assertFalse(stream.queryEvent(event));
    assertNull(stream.outcome(event));
    stream.synchronizeEvent(event);
    stream.destroyEvent(event);
    assertEquals(List.of("release 1", "synchronize 2", "release 2"), calls);
  }
}
