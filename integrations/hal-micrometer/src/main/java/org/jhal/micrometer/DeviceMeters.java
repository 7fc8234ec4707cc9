// SPDX-License-Identifier: Apache-2.0
package org.jhal.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jhal.DeviceState;
import org.jhal.DeviceStatistics;
import org.jspecify.annotations.Nullable;

/** The meters of the open devices of one name. */
final class DeviceMeters {
  private enum Kind {
    /** A gauge, the sum for devices of the same name. */
    GAUGE,
    /** A gauge, the largest value of devices of the same name. */
    LARGEST,
    /** A counter, the sum for devices of the same name. */
    COUNTER
  }

  private record Definition(
      Kind kind,
      String name,
      @Nullable String unit,
      String description,
      Tags tags,
      ToDoubleFunction<DeviceState> value) {}

  private static final String BYTES = "bytes";
  private static final String OPERATIONS = "jhal.device.operations.";
  private static final String OPEN = "The number of operations that have not retired, by state";
  private static final String RESOURCES =
      "The number of objects of the device that are not closed, or still in use";
  private static final String TRANSFERS = "The bytes that were moved to or from the host";

  private static final List<Definition> DEFINITIONS =
      List.of(
          new Definition(
              Kind.LARGEST,
              "jhal.device.lost",
              null,
              "1 if the device is lost, otherwise 0",
              Tags.empty(),
              state -> state.lostCause() == null ? 0 : 1),
          new Definition(
              Kind.GAUGE,
              "jhal.device.memory.used",
              BYTES,
              "The memory of the buffers of the device",
              Tags.empty(),
              statistic(DeviceStatistics::bytes)),
          new Definition(
              Kind.LARGEST,
              "jhal.device.memory.limit",
              BYTES,
              "The memory that the device has",
              Tags.empty(),
              state -> state.info().memoryBytes()),
          resources("buffer", DeviceStatistics::buffers),
          resources("command_buffer", DeviceStatistics::commandBuffers),
          resources("executable", DeviceStatistics::executables),
          resources("semaphore", DeviceStatistics::semaphores),
          open("parked", DeviceStatistics::parked),
          open("ready", DeviceStatistics::ready),
          open("issued", DeviceStatistics::issued),
          open("settled", DeviceStatistics::settled),
          new Definition(
              Kind.LARGEST,
              OPERATIONS + "oldest",
              "seconds",
              "The time since the oldest open operation was enqueued; 0 if none is open",
              Tags.empty(),
              state -> state.oldestAge().toNanos() / 1e9),
          counter(
              OPERATIONS + "enqueued",
              "The operations that were enqueued",
              DeviceStatistics::enqueued),
          counter(
              OPERATIONS + "retired",
              "The operations that have retired",
              DeviceStatistics::retired),
          counter(
              OPERATIONS + "failed",
              "The operations that have retired and failed",
              DeviceStatistics::failed),
          transfers("upload", DeviceStatistics::uploadedBytes),
          transfers("readback", DeviceStatistics::readbackBytes),
          new Definition(
              Kind.GAUGE,
              "jhal.device.graphs.memory",
              BYTES,
              "The device memory of native graphs",
              Tags.empty(),
              statistic(statistics -> statistics.graphs().bytes())),
          counter(
              "jhal.device.graphs.launches",
              "The command buffers that were launched as native graphs",
              statistics -> statistics.graphs().launches()),
          counter(
              "jhal.device.graphs.fallbacks",
              "The command buffers that were issued command by command instead",
              statistics ->
                  statistics.graphs().fallbacks().values().stream()
                      .mapToLong(Long::longValue)
                      .sum()));

  private final String name;
  private final RecentStates states;
  private final List<Meter> meters = new ArrayList<>();

  // What meters show between the close of the device and their removal.
  private volatile List<DeviceState> last;

  /** Registers the meters of a device. */
  DeviceMeters(DeviceState first, RecentStates states, MeterRegistry registry, Tags tags) {
    this.name = first.name();
    this.states = states;
    this.last = List.of(first);
    Tags own = tags.and("device", name, "driver", first.info().driver());
    for (Definition definition : DEFINITIONS) {
      meters.add(register(definition, registry, own.and(definition.tags)));
    }
  }

  private Meter register(Definition definition, MeterRegistry registry, Tags all) {
    return definition.kind == Kind.COUNTER
        ? FunctionCounter.builder(definition.name, this, meters -> meters.value(definition))
            .description(definition.description)
            .baseUnit(definition.unit)
            .tags(all)
            .register(registry)
        : Gauge.builder(definition.name, this, meters -> meters.value(definition))
            .description(definition.description)
            .baseUnit(definition.unit)
            .tags(all)
            .register(registry);
  }

  private double value(Definition definition) {
    List<DeviceState> own =
        states.all().stream().filter(state -> state.name().equals(name)).toList();
    if (own.isEmpty()) {
      own = last;
    } else {
      last = own;
    }
    double value = 0;
    for (DeviceState state : own) {
      double next = definition.value.applyAsDouble(state);
      value = definition.kind == Kind.LARGEST ? Math.max(value, next) : value + next;
    }
    return value;
  }

  String name() {
    return name;
  }

  void remove(MeterRegistry registry) {
    meters.forEach(registry::remove);
  }

  private static ToDoubleFunction<DeviceState> statistic(ToDoubleFunction<DeviceStatistics> part) {
    return state -> part.applyAsDouble(state.statistics());
  }

  private static Definition counter(
      String name, String description, ToDoubleFunction<DeviceStatistics> value) {
    return new Definition(Kind.COUNTER, name, null, description, Tags.empty(), statistic(value));
  }

  private static Definition resources(String kind, ToDoubleFunction<DeviceStatistics> value) {
    return new Definition(
        Kind.GAUGE,
        "jhal.device.resources",
        null,
        RESOURCES,
        Tags.of("kind", kind),
        statistic(value));
  }

  private static Definition open(String state, ToDoubleFunction<DeviceStatistics> value) {
    return new Definition(
        Kind.GAUGE, OPERATIONS + "open", null, OPEN, Tags.of("state", state), statistic(value));
  }

  private static Definition transfers(String direction, ToDoubleFunction<DeviceStatistics> value) {
    return new Definition(
        Kind.COUNTER,
        "jhal.device.transfers",
        BYTES,
        TRANSFERS,
        Tags.of("direction", direction),
        statistic(value));
  }
}
