package org.jhal.hip.jna;

import com.sun.jna.Library;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;

/**
 * Functions of the code object manager, on which HIPRTC is built, for the supported architectures.
 * Each returns an {@code amd_comgr_status_t}, 0 for success.
 */
public interface ComgrApi extends Library {
  int amd_comgr_get_isa_count(LongByReference count);

  int amd_comgr_get_isa_name(long index, PointerByReference isa_name);

  /** Fails for an unknown architecture, or one without a named feature. */
  int amd_comgr_get_isa_metadata(String isa_name, LongByReference metadata);

  int amd_comgr_destroy_metadata(long metadata);
}
