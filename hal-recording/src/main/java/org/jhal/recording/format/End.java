// SPDX-License-Identifier: Apache-2.0
package org.jhal.recording.format;

import java.util.ArrayList;
import java.util.List;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * How an operation has ended.
 *
 * @param failure why it has failed; null if it has not
 * @param payload what an upload has read, or -1
 * @param readback the digest of what a readback has given, or null
 * @param effects what foreign work has written, as far as the host could see it
 */
public record End(
    @Nullable Status failure,
    int payload,
    @Nullable Digest readback,
    List<Step.HostWrite> effects) {
  /** Adds it to {@code to}. */
  public void write(int operation, ByteWriter to) {
    to.number(operation).number(failure == null ? 0 : failure.ordinal() + 1L);
    to.number(payload + 1L).octet(readback == null ? 0 : 1);
    if (readback != null) {
      to.word(readback.high()).word(readback.low());
    }
    to.number(effects.size());
    for (Step.HostWrite effect : effects) {
      to.range(effect.range()).number(effect.payload());
    }
  }

  static End read(ByteReader from) {
    int failure = from.index();
    int payload = from.index() - 1;
    Digest readback = from.octet() == 0 ? null : new Digest(from.word(), from.word());
    List<Step.HostWrite> effects = new ArrayList<>();
    for (int left = from.index(); left > 0; left--) {
      effects.add(new Step.HostWrite(from.range(), from.index()));
    }
    if (failure > Status.values().length) {
      throw new MalformedException("there is no status " + failure);
    }
    return new End(failure == 0 ? null : Status.values()[failure - 1], payload, readback, effects);
  }
}
