// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jhal.HalException;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * The work issued to a stream between two recorded events: waits, tasks, and the event behind them.
 * A stream with a seed may swap batches. Objects are reused.
 *
 * <p>Owned by the issuing thread, and then by the stream's thread; the waits are constant then.
 */
final class MockBatch {
  final List<MockTask> tasks = new ArrayList<>();
  private final List<MockEvent> waits = new ArrayList<>();
  private long[] waitRecordings = new long[4];
  private @Nullable MockEvent event;
  private long recording;
  private @Nullable HalException failure; // the first one of its tasks; see fail()
  int weight; // how much of its stream's capacity it takes up
  @Nullable MockBatch nextFree;

  void addWait(MockEvent waited) {
    if (waits.size() == waitRecordings.length) {
      waitRecordings = Arrays.copyOf(waitRecordings, 2 * waitRecordings.length);
    }
    waitRecordings[waits.size()] = waited.latest();
    waits.add(waited);
  }

  void setEvent(MockEvent recorded) {
    event = recorded;
    recording = recorded.record();
  }

  /** Whether all its waits are over for {@code device}. */
  boolean isRunnable(MockDevice device) {
    for (int i = 0; i < waits.size(); i++) {
      if (!waits.get(i).isPast(waitRecordings[i], device.liveness())) {
        return false;
      }
    }
    return true;
  }

  /** Blocks until it is runnable; throws UNAVAILABLE if {@code device} is lost first. */
  void awaitRunnable(MockDevice device) {
    for (int i = 0; i < waits.size(); i++) {
      waits.get(i).await(waitRecordings[i], device.liveness());
    }
  }

  /** Swaps tasks between barriers, which have no defined order (rule M3). */
  void shuffle(RandomGenerator random) {
    int start = 0;
    for (int i = 0; i <= tasks.size(); i++) {
      if (i == tasks.size() || tasks.get(i).kind == MockTask.Kind.BARRIER) {
        for (int j = i - 1; j > start; j--) {
          int k = start + random.nextInt(j - start + 1);
          MockTask swapped = tasks.get(j);
          tasks.set(j, tasks.get(k));
          tasks.set(k, swapped);
        }
        start = i + 1;
      }
    }
  }

  /** Its operation if that is timed, else null. */
  @Nullable Submission timed() {
    for (int i = 0; i < tasks.size(); i++) {
      Submission submission = tasks.get(i).submissionIfThere();
      if (submission != null) {
        return submission.isTimed() ? submission : null;
      }
    }
    return null;
  }

  /** Notes that a task has failed, for the outcome of the event. */
  void fail(HalException why) {
    if (failure == null) {
      failure = why;
    }
  }

  void fire() {
    Objects.requireNonNull(event).fire(recording, failure);
  }

  void clear() {
    tasks.clear();
    waits.clear();
    event = null;
    failure = null;
    weight = 0;
  }
}
