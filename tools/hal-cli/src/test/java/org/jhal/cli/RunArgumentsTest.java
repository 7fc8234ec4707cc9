// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cli.data.Shape;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunArgumentsTest {
  @Test
  void parsesAllOptions() {
    RunArguments arguments =
        RunArguments.parse(
            List.of("a=2.5", "x=dir/x=1.npy"), List.of("y=y.npy"), List.of("y=3,4"), "5,6", false);
    assertEquals(Map.of("a", "2.5", "x", "dir/x=1.npy"), arguments.args());
    assertEquals(Map.of("y", "y.npy"), arguments.outs());
    assertEquals(Map.of("y", Shape.of(3, 4)), arguments.shapes());
    assertEquals(new Workgroups(5, 6, 1), arguments.groups());
    assertNull(RunArguments.parse(List.of(), List.of(), List.of(), null, false).groups());
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "=x", "x=", "="})
  void refusesAMalformedPair(String text) {
    fails(
        Status.INVALID_ARGUMENT,
        "--arg '" + text + "'",
        () -> RunArguments.parse(List.of(text), List.of(), List.of(), null, false));
    fails(
        Status.INVALID_ARGUMENT,
        "--out '" + text + "'",
        () -> RunArguments.parse(List.of(), List.of(text), List.of(), null, false));
  }

  @Test
  void refusesARepeatedName() {
    fails(
        Status.INVALID_ARGUMENT,
        "'x' is given twice",
        () -> RunArguments.parse(List.of("x=1", "x=1"), List.of(), List.of(), null, false));
    fails(
        Status.INVALID_ARGUMENT,
        "'y' is given twice",
        () -> RunArguments.parse(List.of(), List.of("y=1", "y=2"), List.of(), null, false));
    fails(
        Status.INVALID_ARGUMENT,
        "'y' is given twice",
        () -> RunArguments.parse(List.of(), List.of(), List.of("y=1", "y=2"), null, false));
  }

  @ParameterizedTest
  @CsvSource({
    "x, INVALID_ARGUMENT", "'', INVALID_ARGUMENT", "'1,', INVALID_ARGUMENT",
    "'1,2,3,4', INVALID_ARGUMENT", "'1;2', INVALID_ARGUMENT", "-1, OUT_OF_RANGE",
    "'1,2,-3', OUT_OF_RANGE", "2147483648, OUT_OF_RANGE", "99999999999999999999, OUT_OF_RANGE"
  })
  void refusesAMalformedGrid(String text, Status status) {
    fails(status, text, () -> RunArguments.parse(List.of(), List.of(), List.of(), text, false));
  }

  @Test
  void acceptsAZeroOrHugeGrid() {
    RunArguments arguments =
        RunArguments.parse(List.of(), List.of(), List.of(), "0,2147483647,1", false);
    assertEquals(new Workgroups(0, Integer.MAX_VALUE, 1), arguments.groups());
  }

  @Test
  void splitsAtTheLastColonIfTheFileBeforeItExists(@TempDir Path folder) throws IOException {
    Path plain = Files.createDirectory(folder.resolve("plain"));
    assertTarget(plain, null, plain.toString());
    assertTarget(plain, "f", plain + ":f");
    fails(Status.NOT_FOUND, "no bundle", () -> RunCommand.Target.parse(folder + "/none"));
    fails(Status.NOT_FOUND, "no bundle", () -> RunCommand.Target.parse(folder + "/none:f"));
    fails(Status.NOT_FOUND, "no bundle", () -> RunCommand.Target.parse(plain + ":f:g"));
    fails(Status.NOT_FOUND, "no bundle", () -> RunCommand.Target.parse(""));
    fails(Status.NOT_FOUND, "no bundle", () -> RunCommand.Target.parse(":f"));
    fails(Status.NOT_FOUND, "no bundle", () -> RunCommand.Target.parse("a\0b"));
    fails(Status.INVALID_ARGUMENT, "after the colon", () -> RunCommand.Target.parse(plain + ":"));
  }

  @Test
  void acceptsColonsInAPath(@TempDir Path folder) throws IOException {
    Path colons;
    try {
      colons = Files.createDirectory(folder.resolve("c:d"));
    } catch (IOException | RuntimeException e) {
      Assumptions.abort("this file system allows no colon in a name: " + e);
      return;
    }
    assertTarget(colons, null, colons.toString());
    assertTarget(colons, "f", colons + ":f");
    Files.createDirectory(folder.resolve("c"));
    assertTarget(colons, null, folder + "/c:d");
  }

  private static void assertTarget(Path bundle, @Nullable String kernel, String text) {
    assertEquals(new RunCommand.Target(bundle, kernel), RunCommand.Target.parse(text));
  }

  private static void fails(Status status, String message, Runnable step) {
    HalException e = assertThrows(HalException.class, step::run);
    String text = String.valueOf(e.getMessage());
    assertEquals(status, e.status(), text);
    assertTrue(text.contains(message), text);
  }
}
