package org.jhal.engine.group;

import java.util.Objects;
import org.jhal.driver.NativeStream;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.queue.Failures;
import org.jhal.engine.work.QueueWork;
import org.jspecify.annotations.Nullable;

/** The work of a collective of several devices, which is enqueued on a queue of the first one. */
final class CollectiveWork<E> extends QueueWork<E> {
  private volatile @Nullable Collective collective; // null once the operation retires

  CollectiveWork(DeviceCore<E> device) {
    super(device);
  }

  void collective(Collective made) {
    if (made instanceof HostCollective host) { // the operation ends when it says so
      completeOnHost(host, true);
    }
    collective = made;
  }

  /** The collective, or null once the operation retires. For any thread. */
  @Nullable Collective collective() {
    return collective;
  }

  @Override
  public boolean waitsOnHost() {
    Collective own = collective;
    return own != null && own.waitsOnHost();
  }

  @Override
  public int weight(NativeStream<E> stream) {
    Collective own = collective; // null if the operation has failed, and retires meanwhile
    return own == null ? 1 : own.weight();
  }

  /** What it holds and schedules must not depend on how much stack a user's thread has left. */
  @Override
  protected boolean issueMayBlock(NativeStream<E> stream) {
    return true;
  }

  /** The group keeps others away by itself. */
  @Override
  protected boolean mayGoAcross() {
    return false;
  }

  @Override
  protected void issue(NativeStream<E> stream) {
    Collective own = Objects.requireNonNull(collective);
    try {
      checkMemory();
      own.issue(stream);
    } catch (Throwable t) {
      own.refuse(own.named(Failures.of(t))); // or a close would wait for it to begin
      throw t;
    }
  }

  @Override
  public boolean endsWithHostCompletion() {
    return false; // may be deferred
  }

  @Override
  protected void retired() {
    Collective over = collective;
    collective = null;
    if (over != null && over != hostCompletion()) { // otherwise that is retired next
      over.retire();
    }
  }

  @Override
  public String kind() {
    return "collective";
  }

  @Override
  public String describe() {
    Collective described = collective;
    return described == null ? kind() : described.toString();
  }
}
