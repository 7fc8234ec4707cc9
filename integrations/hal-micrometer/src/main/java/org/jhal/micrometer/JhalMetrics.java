// SPDX-License-Identifier: Apache-2.0
package org.jhal.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jhal.DeviceHealth;
import org.jhal.Hal;
import org.jhal.HalException;
import org.jhal.Status;

/**
 * Meters for the open devices of this process: their memory, operations and transfers. The page
 * {@code docs/monitoring.md} of JHAL lists them. Their names begin with {@code jhal.}, and those of
 * a device have the tags {@code device}, such as {@code cuda-0}, and {@code driver}, such as {@code
 * cuda}. If a device is opened several times, the numbers are added up, or the largest counts.
 *
 * <p>Devices that are opened later get their meters soon after that, and those that are closed lose
 * them. A separate thread of JHAL does this. The values come from {@link Hal#deviceStates}, which
 * is called when a meter is read and the last call is more than 100 ms ago.
 *
 * <pre>{@code
 * JhalMetrics metrics = new JhalMetrics();
 * metrics.bindTo(registry);
 * ...
 * metrics.close();
 * }</pre>
 *
 * <p>For health checks see {@link DeviceHealth}.
 *
 * <p>Thread-safe.
 */
public final class JhalMetrics implements MeterBinder, AutoCloseable {
  private final Tags tags;

  // Guarded by this.
  private final List<BoundRegistry> bound = new ArrayList<>();
  private boolean isClosed;

  /** Creates meters without additional tags, for any number of registries. */
  public JhalMetrics() {
    this(Tags.empty());
  }

  /**
   * Creates meters for any number of registries.
   *
   * @param tags additional tags of each meter
   */
  public JhalMetrics(Iterable<Tag> tags) {
    this.tags = Tags.of(Objects.requireNonNull(tags, "tags"));
  }

  /**
   * Registers the meters of all open devices, and from now on of those that are opened.
   *
   * @throws HalException FAILED_PRECONDITION if this is closed
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    Objects.requireNonNull(registry, "registry");
    if (isClosed) {
      throw new HalException(Status.FAILED_PRECONDITION, "these metrics are closed");
    }
    bound.add(new BoundRegistry(registry, tags));
  }

  /**
   * Removes all meters from the registries that they are bound to, which stay open. Until then,
   * this keeps the registries reachable. A second call does nothing.
   */
  @Override
  public synchronized void close() {
    isClosed = true;
    bound.forEach(BoundRegistry::close);
    bound.clear();
  }
}
