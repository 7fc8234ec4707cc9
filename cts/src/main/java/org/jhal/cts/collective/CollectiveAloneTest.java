// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.collective;

import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.Waits.awaitReached;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.jhal.BufferParams;
import org.jhal.CollectiveGroup;
import org.jhal.CollectiveGroup.Kind;
import org.jhal.CollectiveGroup.Rank;
import org.jhal.DeviceBuffer;
import org.jhal.DeviceQueue;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.FillPattern;
import org.jhal.Reduction;
import org.jhal.TimelineSemaphore;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Collectives;
import org.jhal.cts.support.Cts;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A group of one device, in the form that the device offers: libraries treat it as a case of its
 * own. Whatever it does, the target has what the source had.
 */
@CtsSuite
class CollectiveAloneTest {
  private static final int COUNT = 1001;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SEND_RECEIVE") // which takes two ranks
  @Rule({"G1", "G5"})
  void theTargetHasWhatTheSourceHad(Kind kind, Cts cts) {
    CollectiveGroup group = cts.closing(CollectiveGroup.of(cts.device()));
    for (ElementType type : ElementType.values()) {
      if (!kind.isReduction()) {
        check(cts, group, kind, null, type);
        continue;
      }
      for (Reduction reduction : Reduction.values()) {
        if (reduction != Reduction.AVERAGE || !Elements.isInteger(type)) {
          check(cts, group, kind, reduction, type);
        }
      }
    }
  }

  private static void check(
      Cts cts, CollectiveGroup group, Kind kind, @Nullable Reduction reduction, ElementType type) {
    String what = kind + " by " + reduction + " of " + type;
    byte[] content = Elements.of(type, 0, COUNT);
    try (DeviceBuffer source = cts.device().allocate(content.length, BufferParams.DEVICE);
        DeviceBuffer target = cts.device().allocate(content.length, BufferParams.DEVICE)) {
      check(
          cts,
          source,
          target,
          content,
          what,
          all -> Collectives.start(group, kind, 0, 0, reduction, type, all));
      if (kind != Kind.ALL_TO_ALL) { // which has no form in place
        check(
            cts,
            source,
            source,
            content,
            what + " in place",
            all -> Collectives.start(group, kind, 0, 0, reduction, type, all));
      }
    }
  }

  /** On one timeline: it sees the results of earlier work, and later work sees its result. */
  private static void check(
      Cts cts,
      DeviceBuffer source,
      DeviceBuffer target,
      byte[] content,
      String what,
      Consumer<List<Rank>> collective) {
    TimelineSemaphore line = cts.semaphore();
    DeviceQueue queue = cts.queue();
    byte[] found = new byte[content.length];
    queue.fill(Fence.NONE, line.at(1), target, 0, target.size(), FillPattern.of8(0x5A));
    queue.upload(line.at(1), line.at(2), ByteBuffer.wrap(content), source, 0);
    collective.accept(List.of(new Rank(line.at(2), line.at(3), source, target)));
    queue.readback(line.at(3), line.at(4), target, 0, ByteBuffer.wrap(found));
    awaitReached(line, 4);
    assertBytes(content, found, what);
  }
}
