package org.jhal.driver.dialect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** The headers are there, and each has a guard: it may come with several include files. */
class DialectTest {
  @Test
  void eachFileHasAGuard() {
    for (String file : Dialect.files()) {
      String guard = file.toUpperCase(java.util.Locale.ROOT).replace('.', '_');
      assertTrue(Dialect.text(file).contains("#define " + guard + "\n"), file);
    }
    assertThrows(IllegalArgumentException.class, () -> Dialect.text("other.h"));
  }

  /** What compilers of GPUs get has no includes, as they may not find them. */
  @Test
  void whatIncludeFilesStandForIsComplete() {
    Map<String, String> includes = Dialect.includes();
    assertTrue(includes.size() > 20, includes::toString);
    assertEquals("hal_half.h", includes.get("cuda_fp16.h"));
    assertEquals("", includes.get("hip/hip_bf16.h"));
    includes.forEach(
        (name, file) ->
            assertTrue(file.isEmpty() || !Dialect.text(file).contains("#include"), name));
    assertEquals(includes.keySet(), Dialect.stubs().keySet());
  }
}
