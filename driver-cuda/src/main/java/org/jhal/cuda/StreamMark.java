package org.jhal.cuda;

import jcuda.driver.JCudaDriver;

/** A place in a stream: behind one recording of an event. */
record StreamMark(CudaEvent event, long position) {
  StreamMark(CudaEvent event) {
    this(event, event.position());
  }

  /** Whether the stream has passed it. For the thread that issues, with the context current. */
  boolean isPassed(CudaContext context) {
    if (event.position() != position) {
      return true; // recorded again since, so whoever had recorded it is through
    }
    int code = JCudaDriver.cuEventQuery(event.recorded());
    if (code == CudaResult.NOT_READY) {
      return false;
    }
    context.check("cuEventQuery", code);
    return true;
  }
}
