// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv.compile;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which integers of LLVM's text are refused. */
class LlvmTextTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "  %4 = trunc nuw i32 %0 to i9",
        "  %10 = phi i3 [ %4, %3 ], [ %32, %8 ]",
        "  %5 = load i24, ptr addrspace(1) %4, align 1",
        "  %6 = bitcast <4 x i1> %5 to i4",
        "define spir_func i65 @sum(i32 %0) {",
        "  %7 = add <2 x i33> %5, %6"
      })
  void othersThanThoseOfTheTargetAreRefused(String line) {
    HalException refusal =
        assertThrows(HalException.class, () -> LlvmText.checkIntegers(line, "code.cpp"));
    assertEquals(Status.UNIMPLEMENTED, refusal.status());
    assertTrue(String.valueOf(refusal.getMessage()).contains(line.strip()), refusal.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "  %2 = add <2 x i32> %0, %1",
        "  %3 = icmp eq i64 %i3, 0",
        "  %4 = call spir_func i8 @i24(i1 true, i16 3)",
        "  %x.i24 = zext i1 %i7 to i64",
        "  store i32 %1, ptr %\"i12\", align 4, !tbaa !4",
        "@i5 = addrspace(1) constant [3 x i8] c\"i5\\00\"",
        "!5 = !{!\"i3\", !6, i64 0}"
      })
  void namesAndOtherIntegersAreNot(String line) {
    assertDoesNotThrow(() -> LlvmText.checkIntegers(line, "code.cpp"));
  }
}
