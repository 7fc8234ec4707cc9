package org.jhal.engine.queue;

import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/** What an {@link Issuer} and a {@link Completer} need of the queue whose stream they serve. */
interface StreamOwner<E> {
  /** The queue's name, for messages. */
  String name();

  /** Why the device is lost, or null. */
  @Nullable HalException lost();

  /**
   * A native call showed that the device is lost; returns the first failure that did. Everything
   * else fails with it.
   */
  HalException lose(String call, Throwable thrown);

  /**
   * The same for a caller with the drainer's role or with the device bound, where nothing may run
   * that a user wrote: from here on the device counts as lost, and the issue thread fails
   * everything.
   */
  HalException loseLater(String call, Throwable thrown);

  /** There is something to issue for the issue thread. */
  void issueLater();

  /** There is something in the stream for the completion thread. */
  void completeLater();

  /**
   * The drainer could not issue the operation, whose {@link Operation#workFailure} says why: the
   * issue thread is to fail its signals. Nothing that it holds is in use.
   */
  void failLater(Operation<E> operation);

  /** The operation has its verdict; the completion thread is to retire it. */
  void retireLater(Operation<E> operation);
}
