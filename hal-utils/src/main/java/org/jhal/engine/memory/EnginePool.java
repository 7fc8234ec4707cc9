// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jhal.Device;
import org.jhal.HalException;
import org.jhal.MemoryPool;
import org.jhal.PoolRequest;
import org.jhal.PoolStatistics;
import org.jhal.Status;
import org.jhal.driver.support.Attempt;
import org.jhal.engine.base.Checks;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.memory.PoolCharge.State;

/**
 * A budget for allocas, whatever driver the device has (rule M1a).
 *
 * <p>Its lock is held for its own fields: operations go on, or fail, when it is released.
 *
 * <p>Thread-safe.
 */
public final class EnginePool implements MemoryPool {
  /** Who waits for a charge; see {@link PoolCharge#admit}. */
  record Waiter(Runnable granted, Consumer<HalException> cancelled) {}

  private final DeviceCore<?> device;
  private final PoolRequest request;

  // Bytes of the charges that are GRANTED or HELD, at most the budget, and of those that are HELD.
  @GuardedBy("this")
  private long charged;

  @GuardedBy("this")
  private long used;

  @GuardedBy("this")
  private long peak; // of `used`

  @GuardedBy("this")
  private long buffers; // charges that are HELD

  @GuardedBy("this")
  private long allocations; // that have been

  @GuardedBy("this")
  private long waits; // charges that have been WAITING

  // The charges that are WAITING, the first come first. While there are any, none is granted out of
  // turn, and the first one does not fit, unless the device is being closed, which cancels all.
  @GuardedBy("this")
  private final Map<PoolCharge, Waiter> waiting = new LinkedHashMap<>();

  @GuardedBy("this")
  private boolean isClosed;

  /** Makes a pool, which owns nothing. */
  public EnginePool(DeviceCore<?> device, PoolRequest request) {
    this.device = device;
    this.request = request;
  }

  /**
   * Returns {@code pool} as the engine's type.
   *
   * @throws HalException INVALID_ARGUMENT if it is another device's; FAILED_PRECONDITION if it is
   *     closed
   */
  public static EnginePool of(DeviceCore<?> device, MemoryPool pool) {
    Objects.requireNonNull(pool, "pool");
    EnginePool own = pool instanceof EnginePool engine ? engine : null;
    if (own == null || own.device != device) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          pool + " belongs to " + Checks.otherThan(device, own == null ? null : own.device));
    }
    if (own.isClosed()) {
      throw new HalException(Status.FAILED_PRECONDITION, pool + " is closed");
    }
    return own;
  }

  @Override
  public Device device() {
    return device.view();
  }

  @Override
  public PoolRequest request() {
    return request;
  }

  @Override
  public synchronized PoolStatistics statistics() {
    return new PoolStatistics(
        request.budget(), used, charged - used, peak, buffers, allocations, waits, waiting.size());
  }

  @Override
  public synchronized boolean isClosed() {
    return isClosed;
  }

  // Charges.

  @GuardedBy("this")
  private boolean fits(PoolCharge charge) {
    return charge.bytes <= request.budget() - charged;
  }

  @GuardedBy("this")
  private void grant(PoolCharge charge) {
    charge.state = State.GRANTED;
    charged += charge.bytes;
  }

  /** See {@link PoolCharge#admit}. What can never be granted goes on to fail. */
  synchronized boolean admit(PoolCharge charge, Waiter waiter) {
    if (charge.state != State.NEW || isClosed || charge.bytes > request.budget()) {
      return true;
    }
    if (waiting.isEmpty() && fits(charge)) {
      grant(charge);
      return true;
    }
    charge.state = State.WAITING;
    waiting.put(charge, waiter);
    waits++;
    return false;
  }

  /** See {@link PoolCharge#take}. */
  synchronized void take(PoolCharge charge) {
    if (charge.state == State.GRANTED) {
      return;
    }
    if (isClosed) {
      throw closed();
    }
    if (charge.state == State.ENDED) { // another thread has lost the device, and failed the alloca
      throw new HalException(Status.CANCELLED, "an alloca in " + this + " has failed already");
    }
    if (!fits(charge)) {
      throw new HalException(
          Status.RESOURCE_EXHAUSTED,
          "%s bytes exceed what is left of %s: %s are in use"
              .formatted(charge.bytes, this, charged));
    }
    grant(charge);
  }

  /** See {@link PoolCharge#hold}. */
  synchronized void hold(PoolCharge charge) {
    if (charge.state == State.GRANTED) {
      charge.state = State.HELD;
      used += charge.bytes;
      peak = Math.max(peak, used);
      buffers++;
      allocations++;
    }
  }

  /** Ends a charge, and grants those that fit then. */
  void end(PoolCharge charge, boolean evenIfHeld) {
    List<Waiter> granted;
    synchronized (this) {
      State before = charge.state;
      if (before == State.ENDED || before == State.HELD && !evenIfHeld) {
        return;
      }
      charge.state = State.ENDED;
      if (before == State.WAITING) {
        waiting.remove(charge);
      }
      charged -= before == State.GRANTED || before == State.HELD ? charge.bytes : 0;
      used -= before == State.HELD ? charge.bytes : 0;
      buffers -= before == State.HELD ? 1 : 0;
      granted = grantWaiting();
    }
    runAll(granted.stream().map(waiter -> waiter.granted).toList());
  }

  /** An operation that cannot be told would wait forever, so the device is lost then (rule Q7). */
  private void runAll(List<Runnable> bodies) {
    for (Runnable body : bodies) {
      Throwable thrown = Attempt.of(body);
      if (thrown != null) {
        device.loseBecause(thrown);
      }
    }
  }

  @GuardedBy("this")
  private List<Waiter> grantWaiting() {
    if (waiting.isEmpty() || device.isClosed()) {
      return List.of();
    }
    List<Waiter> granted = new ArrayList<>(waiting.size()); // so that adding takes no memory
    for (var each = waiting.entrySet().iterator(); each.hasNext(); ) {
      Map.Entry<PoolCharge, Waiter> next = each.next();
      if (!fits(next.getKey())) {
        break;
      }
      grant(next.getKey());
      granted.add(next.getValue());
      each.remove();
    }
    return granted;
  }

  private HalException closed() {
    return new HalException(Status.CANCELLED, this + " was closed");
  }

  @Override
  public void close() {
    List<Waiter> cancelled;
    synchronized (this) {
      isClosed = true;
      cancelled = List.copyOf(waiting.values());
      waiting.keySet().forEach(charge -> charge.state = State.ENDED);
      waiting.clear();
    }
    HalException cause = closed();
    runAll( // users' callbacks run
        cancelled.stream().map(waiter -> (Runnable) () -> waiter.cancelled.accept(cause)).toList());
  }

  /** See {@link PoolCharge#describe}. */
  synchronized String describe(PoolCharge charge) {
    String of = " of " + charge.bytes + " bytes";
    return charge.state == State.WAITING
        ? of + " that waits for room in " + this
        : of + " in " + this;
  }

  @Override
  public String toString() {
    return "pool '%s' of %s bytes of %s".formatted(request.name(), request.budget(), device.name());
  }
}
