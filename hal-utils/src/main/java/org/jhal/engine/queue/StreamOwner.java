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

  /** There is something to issue for the issue thread. */
  void issueLater();

  /** There is something in the stream for the completion thread. */
  void completeLater();

  /** Who issues has issued some, and is to complete what is over; the device is bound. */
  void helpComplete();

  /** The operation has its verdict; the completion thread is to retire it. */
  void retireLater(Operation<E> operation);
}
