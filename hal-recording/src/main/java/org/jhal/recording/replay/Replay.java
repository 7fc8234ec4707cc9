// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.replay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.Parameter;
import org.jhal.recording.format.Action;
import org.jhal.recording.format.Digest;
import org.jhal.recording.format.End;
import org.jhal.recording.format.Memory;
import org.jhal.recording.format.Payload;
import org.jhal.recording.format.Range;
import org.jhal.recording.format.Recording;
import org.jhal.recording.format.Step;
import org.jspecify.annotations.Nullable;

/**
 * Goes through a recording once, in the order in which its operations were issued, and has all of
 * its replicas do the same. Used by one thread.
 */
final class Replay {
  /** Runs a dispatch on all replicas; the label is empty if it has none. */
  interface Dispatcher {
    /** Returns false to end the replay. */
    boolean dispatch(Step.Operation operation, int dispatch, Action.Dispatch action, String label)
        throws InterruptedException;
  }

  private final Recording recording;
  private final List<Replica> replicas;
  private final Dispatcher dispatcher;
  private final Runnable progress; // called after each operation
  private final Map<String, Integer> notes = new LinkedHashMap<>(); // how often, by text
  private final KnownBytes known = new KnownBytes();
  private final List<String> otherReadbacks = new ArrayList<>();
  private int readbacks;
  private int unknownReadbacks;
  private int dispatches;
  private boolean goesOn = true;
  private String label = ""; // of the commands that follow in the operation

  Replay(Recording recording, List<Replica> replicas, Dispatcher dispatcher, Runnable progress) {
    this.recording = recording;
    this.replicas = replicas;
    this.dispatcher = dispatcher;
    this.progress = progress;
  }

  /** What could not be repeated, for people. */
  List<String> notes() {
    List<String> texts = new ArrayList<>();
    notes.forEach((text, count) -> texts.add(count == 1 ? text : text + " (" + count + " times)"));
    return texts;
  }

  /** How many readbacks were compared with the recording. */
  int readbacks() {
    return readbacks;
  }

  /** How many were not, since it is not known what the program has had there. */
  int unknownReadbacks() {
    return unknownReadbacks;
  }

  /** Those that gave other bytes on the first replica. */
  List<String> otherReadbacks() {
    return otherReadbacks;
  }

  int dispatches() {
    return dispatches;
  }

  private void note(String text) {
    int unused = notes.merge(text, 1, Integer::sum);
  }

  void run() throws InterruptedException {
    for (Step step : recording.steps()) {
      if (!goesOn) {
        return;
      }
      run(step);
    }
    for (Replica replica : replicas) {
      replica.side().await();
    }
  }

  private void run(Step step) throws InterruptedException {
    if (step instanceof Step.Allocated allocated) {
      Memory memory = recording.memory(allocated.memory());
      if (memory.origin() == Memory.Origin.FOREIGN) {
        note("not hermetic: what was in imported native memory at the beginning is not recorded");
      }
      for (Replica replica : replicas) {
        if (!replica.allocate(allocated.memory())) {
          note("not hermetic: a device gives no access to the variables of kernels");
        }
      }
    } else if (step instanceof Step.Freed freed) {
      for (Replica replica : replicas) {
        replica.side().await();
        replica.side().free(freed.memory());
      }
      known.forget(freed.memory());
    } else if (step instanceof Step.HostWrite write) {
      write(write.range(), write.payload());
    } else if (step instanceof Step.Operation operation) {
      run(operation);
      progress.run();
    }
  }

  private void write(Range range, int payload) throws InterruptedException {
    for (Replica replica : replicas) {
      replica.write(range, payload);
    }
    known.set(range, true);
  }

  private void run(Step.Operation operation) throws InterruptedException {
    End end = recording.end(operation.index());
    if (end != null && end.failure() != null) {
      note(
          "not hermetic: an operation (%s) that had failed with %s was left out; it may have written something"
              .formatted(operation.kind(), end.failure()));
      operation.actions().forEach(this::forget);
      return;
    }
    if (operation.isUnseen()) {
      note(
          "not hermetic: what an operation (" + operation.kind() + ") has written is not recorded");
      known.forgetAll();
    }
    for (Replica replica : replicas) {
      replica.side().use(operation.queue(), recording.queue(operation.queue()).request());
    }
    label = "";
    for (Action action : operation.actions()) {
      if (goesOn) {
        run(operation, action, end);
      }
    }
  }

  private void run(Step.Operation operation, Action action, @Nullable End end)
      throws InterruptedException {
    if (action instanceof Action.Fill fill) {
      replicas.forEach(replica -> replica.side().fill(fill));
      known.set(fill.target(), true);
    } else if (action instanceof Action.Copy copy) {
      replicas.forEach(replica -> replica.side().copy(copy));
      known.copy(copy.source(), copy.target());
    } else if (action instanceof Action.Write write) {
      int payload = write.payload();
      if (payload == Action.LATE) {
        payload = end == null ? -1 : end.payload();
      }
      if (payload < 0) {
        note("not hermetic: the bytes of an upload are not in the recording");
        known.set(write.target(), false);
      } else {
        write(write.target(), payload);
      }
    } else if (action instanceof Action.Readback readback) {
      compareReadback(operation, readback, end);
    } else if (action instanceof Action.Dispatch dispatch) {
      if (replicas.stream().allMatch(replica -> replica.canRun(dispatch))) {
        goesOn = dispatcher.dispatch(operation, dispatches, dispatch, label);
        noteResults(dispatch);
      } else {
        forget(dispatch);
        note(
            "not hermetic: dispatches of bundle %s were left out, which is not whole here"
                .formatted(recording.bundles().get(dispatch.bundle()).name()));
      }
      dispatches++;
    } else if (action instanceof Action.Label given) {
      label = given.text();
    } else if (action instanceof Action.Foreign foreign) {
      runForeign(operation, foreign, end);
    }
  }

  private void runForeign(Step.Operation operation, Action.Foreign foreign, @Nullable End end)
      throws InterruptedException {
    if (end != null
        && end.effects().size() == foreign.ranges().size()
        && !end.effects().isEmpty()) {
      for (Step.HostWrite effect : end.effects()) {
        write(effect.range(), effect.payload());
      }
    } else {
      note(
          "not hermetic: what an operation (" + operation.kind() + ") has written is not recorded");
      forget(foreign);
    }
  }

  /** An action that is left out may have written any of its memory. */
  private void forget(Action action) {
    for (Range range : action.ranges()) {
      if (range != null) {
        known.set(range, false);
      }
    }
  }

  /** What a dispatch has written is known if what it has read is. */
  private void noteResults(Action.Dispatch dispatch) {
    List<Parameter> parameters = replicas.get(0).side().kernel(dispatch).parameters();
    Range counts = dispatch.counts();
    boolean isKnown = counts == null || known.isKnown(counts);
    for (int i = 0; i < parameters.size(); i++) {
      Range range = dispatch.buffers().get(i);
      isKnown &= range == null || !parameters.get(i).isRead() || known.isKnown(range);
    }
    for (int i = 0; i < parameters.size(); i++) {
      Range range = dispatch.buffers().get(i);
      if (range != null && parameters.get(i).isWritten()) {
        known.set(range, isKnown);
      }
    }
  }

  private void compareReadback(
      Step.Operation operation, Action.Readback readback, @Nullable End end)
      throws InterruptedException {
    Digest recorded = end == null ? null : end.readback();
    if (recorded == null || readback.source().length() > Integer.MAX_VALUE - 8) {
      return;
    }
    if (!known.isKnown(readback.source())) {
      unknownReadbacks++;
      return;
    }
    readbacks++;
    byte[] bytes = replicas.get(0).side().read(readback.source());
    if (!Payload.of(bytes).digest().equals(recorded)) {
      otherReadbacks.add(describe(operation) + ", " + bytes.length + " bytes");
    }
  }

  /** An operation for people. */
  private String describe(Step.Operation operation) {
    return recording.queue(operation.queue()).name()
        + " operation "
        + operation.number()
        + " ("
        + operation.kind()
        + ")";
  }
}
