// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.compile;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CompiledCodeTest {
  private static final byte[] CODE = {1, 2, 3, 4, 5};

  @Test
  void codeWithoutExpressionsIsKeptAsItIs() {
    CompiledCode code = new CompiledCode(CODE, Map.of());
    assertArrayEquals(CODE, code.toBytes(List.of()));
    CompiledCode read = found(CompiledCode.of(CODE, List.of()));
    assertArrayEquals(CODE, read.code());
    assertEquals("plain", read.symbol("plain"));
  }

  @Test
  void symbolsAreKeptWithTheCode() {
    List<String> expressions = List.of("f<1>", "f<2>");
    CompiledCode code = new CompiledCode(CODE, Map.of("f<1>", "_Z1fILi1EE", "f<2>", "_Z1fILi2EE"));
    byte[] kept = code.toBytes(expressions);
    CompiledCode read = found(CompiledCode.of(kept, expressions));
    assertArrayEquals(CODE, read.code());
    assertEquals("_Z1fILi1EE", read.symbol("f<1>"));
    assertEquals("_Z1fILi2EE", read.symbol("f<2>"));
    assertNull(CompiledCode.of(Arrays.copyOf(kept, 20), expressions));
    assertNull(CompiledCode.of(CODE, expressions));
  }

  private static CompiledCode found(@Nullable CompiledCode read) {
    assertNotNull(read);
    return read;
  }
}
