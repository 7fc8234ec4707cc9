package org.jhal.cuda;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jcuda.NativePointerObject;

/**
 * Reads and writes the number inside JCuda's handles. JCuda needs a new object for each address;
 * with this class one object can be reused for any number of calls.
 */
final class Handles {
  private static final VarHandle ADDRESS;

  static {
    try {
      ADDRESS =
          MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup())
              .findVarHandle(NativePointerObject.class, "nativePointer", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Handles() {}

  static long get(NativePointerObject handle) {
    return (long) ADDRESS.get(handle);
  }

  static <T extends NativePointerObject> T set(T handle, long address) {
    ADDRESS.set(handle, address);
    return handle;
  }
}
