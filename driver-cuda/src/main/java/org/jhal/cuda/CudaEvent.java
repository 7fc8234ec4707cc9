package org.jhal.cuda;

import jcuda.driver.CUevent;

/**
 * An event of the engine: one native event that streams wait for and that is queried, and one for
 * which a host thread can sleep. The second is recorded only while the stream takes it without
 * blocking; see {@link CudaStream}.
 */
final class CudaEvent {
  final CUevent plain = new CUevent();
  final CUevent blocking = new CUevent();

  /** The latest recording includes {@link #blocking}; cleared by whoever sees that it has fired. */
  volatile boolean isBlockingRecorded;

  /** Which recording is the latest; written by the thread that issues. */
  volatile long recording;
}
