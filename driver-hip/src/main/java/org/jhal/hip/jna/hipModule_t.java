package org.jhal.hip.jna;

/** A loaded code object; made by hipModuleLoadData, ended by hipModuleUnload. */
public final class hipModule_t extends HipHandle {
  /** None yet. */
  public hipModule_t() {}
}
