// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import java.util.Objects;
import org.jhal.QueueGrant;

/**
 * A stream of an acquired queue, and what the queue has really got with it.
 *
 * @param stream the stream; its close ends what was granted
 * @param grant what was granted
 */
public record GrantedStream<E>(NativeStream<E> stream, QueueGrant grant) {
  public GrantedStream {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(grant, "grant");
  }
}
