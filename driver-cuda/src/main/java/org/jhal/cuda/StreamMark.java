package org.jhal.cuda;

import jcuda.driver.JCudaDriver;

/** A place in a stream: behind one recording of an event. */
record StreamMark(CudaEvent event, long recording) {
  StreamMark(CudaEvent event) {
    this(event, event.recording);
  }

  /** Whether the stream has passed it. For the thread that issues, with the context current. */
  boolean isPassed(CudaContext context) {
    if (event.recording != recording) {
      return true; // recorded again since, so whoever had recorded it is through
    }
    int code = JCudaDriver.cuEventQuery(event.plain);
    if (code == CudaResult.NOT_READY) {
      return false;
    }
    context.check("cuEventQuery", code);
    return true;
  }
}
