package org.jhal.hip.jna;

/** A pool of device memory; made by hipMemPoolCreate, ended by hipMemPoolDestroy. */
public final class hipMemPool_t extends HipHandle {
  /** None yet. */
  public hipMemPool_t() {}
}
