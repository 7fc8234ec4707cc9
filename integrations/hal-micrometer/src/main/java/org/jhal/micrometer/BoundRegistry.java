// SPDX-License-Identifier: Apache-2.0
package org.jhal.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jhal.DeviceState;
import org.jhal.Registration;
import org.jhal.spi.Explanations;

/**
 * A registry that has the meters of each open device. Thread-safe: the thread that binds it and the
 * thread that learns of opened and closed devices change it.
 */
final class BoundRegistry {
  private final MeterRegistry registry;
  private final Tags tags;
  private final RecentStates states = new RecentStates();
  private final Gauge count;
  private final Registration listening;

  // Guarded by this.
  private final Map<String, DeviceMeters> devices = new HashMap<>(); // by their names
  private boolean isClosed;

  BoundRegistry(MeterRegistry registry, Tags tags) {
    this.registry = registry;
    this.tags = tags;
    this.count =
        Gauge.builder("jhal.devices", states, recent -> recent.all().size())
            .description("The number of open devices")
            .tags(tags)
            .register(registry);
    this.listening = Explanations.onChange(this::update);
    update();
  }

  /** Adds the meters of devices that were opened, and removes those of devices that are closed. */
  private synchronized void update() {
    if (isClosed) {
      return;
    }
    List<DeviceState> open = states.refresh();
    Set<String> names = open.stream().map(DeviceState::name).collect(Collectors.toSet());
    devices
        .values()
        .removeIf(
            meters -> {
              boolean isGone = !names.contains(meters.name());
              if (isGone) {
                meters.remove(registry);
              }
              return isGone;
            });
    for (DeviceState state : open) {
      if (!devices.containsKey(state.name())) {
        devices.put(state.name(), new DeviceMeters(state, states, registry, tags));
      }
    }
  }

  /** Removes all meters. */
  synchronized void close() {
    isClosed = true;
    listening.cancel();
    devices.values().forEach(meters -> meters.remove(registry));
    devices.clear();
    var unused = registry.remove(count);
  }
}
