// SPDX-License-Identifier: Apache-2.0
package org.jhal.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jhal.DeviceUri;
import org.jhal.cli.data.Shape;
import org.junit.jupiter.api.Test;

/** Texts of a command line that other packages parse. */
class TextFuzzTest {
  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }

  @Test
  void deviceUris() throws Exception {
    new Fuzz(
            "uri",
            Fuzz.texts(
                "mock",
                "mock://0?queues=4&spin=20us",
                "cuda://pci:0000:3b:00.0?cache=%2Ftmp%2Fa%20b",
                "cuda://GPU-1b2c?binding=ffm"),
            List.of("://", "?", "&", "=", "#", "%", "%zz", "%2", "%FF", "+", "\0", "é", "\ud83d"))
        .run(
            10_000,
            input -> {
              DeviceUri uri = DeviceUri.parse(text(input));
              assertEquals(uri, DeviceUri.parse(uri.toString()));
            });
  }

  @Test
  void shapes() throws Exception {
    new Fuzz("shape", Fuzz.texts("1024", "480,640,3"), List.of("x", "-", "0x", " ", ","))
        .alsoFrom(Fuzz.texts("3x4", "2,0,3"))
        .run(10_000, input -> Shape.parse(text(input)));
  }
}
