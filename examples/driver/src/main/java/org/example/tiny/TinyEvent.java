package org.example.tiny;

import java.util.concurrent.CountDownLatch;

/** An event. It is recorded again and again; who waits, waits for the recording of that moment. */
final class TinyEvent {
  private volatile CountDownLatch recording = new CountDownLatch(1);

  /** A new recording, which fires when it is counted down. */
  CountDownLatch record() {
    CountDownLatch made = new CountDownLatch(1);
    recording = made;
    return made;
  }

  /** The latest recording. */
  CountDownLatch latest() {
    return recording;
  }
}
