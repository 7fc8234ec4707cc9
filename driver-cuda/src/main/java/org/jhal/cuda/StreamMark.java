package org.jhal.cuda;

import jcuda.driver.JCudaDriver;
import org.jspecify.annotations.Nullable;

/**
 * A place in a stream: behind the first event that is recorded after this was made.
 *
 * <p>For the thread that issues, with the context current.
 */
final class StreamMark {
  private @Nullable CudaEvent event; // null until it is recorded
  private long position; // of the event, when that was

  /** The event that it waited for was recorded. */
  void set(CudaEvent recorded) {
    event = recorded;
    position = recorded.position();
  }

  /** Whether the stream has passed it. */
  boolean isPassed(CudaContext context) {
    CudaEvent behind = event;
    if (behind == null) {
      return false;
    }
    if (behind.position() != position) {
      return true; // recorded again since, so whoever had recorded it is through
    }
    int code = JCudaDriver.cuEventQuery(behind.recorded());
    if (code == CudaResult.NOT_READY) {
      return false;
    }
    context.check("cuEventQuery", code);
    return true;
  }
}
