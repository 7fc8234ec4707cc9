// SPDX-License-Identifier: Apache-2.0
package org.jhal.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.Proxy;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Status;
import org.junit.jupiter.api.Test;

class NvrtcCodesTest {
  @Test
  void reportsTheCodeIfTheVersionCannotBeRead() {
    Nvrtc.Api broken =
        (Nvrtc.Api)
            Proxy.newProxyInstance(
                Nvrtc.Api.class.getClassLoader(),
                new Class<?>[] {Nvrtc.Api.class},
                (proxy, method, arguments) ->
                    method.getName().equals("getErrorString") ? "NVRTC_ERROR_INTERNAL" : 11);
    HalException failure = assertThrows(HalException.class, () -> Nvrtc.version(broken));
    assertEquals(Status.INTERNAL, failure.status());
    assertEquals(
        "Version of the compiler returned 11 (NVRTC_ERROR_INTERNAL)", failure.getMessage());
    assertEquals(new NativeCode(11, "NVRTC_ERROR_INTERNAL"), failure.nativeCode());
  }
}
