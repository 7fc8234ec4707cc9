// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.jhal.HalException;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Samples of a second JVM. */
@Timeout(200)
class TopViewTest {
  private static String print(TopView view) {
    StringWriter text = new StringWriter();
    view.print(new PrintWriter(text));
    return text.toString();
  }

  private static JsonObject device(TopView view) {
    String text = print(view);
    assertEquals(1, text.lines().count(), text);
    JsonArray devices = JsonParser.parseString(text).getAsJsonObject().getAsJsonArray("devices");
    assertEquals(1, devices.size(), text);
    return devices.get(0).getAsJsonObject();
  }

  @Test
  void showsWhatTheDevicesHoldAndHowFastTheyWork() throws Exception {
    try (WatchedJvm watched = WatchedJvm.withDevice();
        WatchedProcess process = WatchedProcess.attach(Long.parseLong(watched.pid()))) {
      TopView json = new TopView(process, TopView.Form.JSON);
      JsonObject first = device(json);
      assertEquals("mock-0", first.get("name").getAsString());
      assertEquals("mock", first.get("driver").getAsString());
      assertEquals(64, first.get("memoryBytes").getAsLong());
      assertEquals(1 << 20, first.get("memoryLimitBytes").getAsLong());
      assertEquals(1, first.get("parkedOperations").getAsLong());
      assertEquals(16, first.get("uploadedBytes").getAsLong());
      assertTrue(first.get("lostCause").isJsonNull(), first::toString);
      assertTrue(first.get("operationsPerSecond").isJsonNull(), first::toString);
      watched.work();
      JsonObject second = device(json);
      assertTrue(second.get("operationsPerSecond").getAsDouble() > 0, second::toString);
      assertEquals(0, second.get("uploadedBytesPerSecond").getAsDouble(), second::toString);

      TopView lines = new TopView(process, TopView.Form.LINES);
      String text = print(lines);
      assertTrue(text.startsWith("process " + watched.pid() + " at "), text);
      assertTrue(text.contains(": 1 open device" + System.lineSeparator() + "DEVICE  "), text);
      assertTrue(
          text.matches("(?s).*\\Rmock-0  64 B +1.0 MiB .*: mock-0-q1 operation 1 \\(fill, .*"),
          text);
      assertFalse(text.contains("\u001b"), text);
      watched.work();
      String next = print(lines);
      assertTrue(next.startsWith(System.lineSeparator() + "process "), next);
      assertTrue(next.matches("(?s).*MiB +1 +[1-9][0-9.]* .*"), next);
    }
  }

  /** Each line erases the rest of the one that it replaces, and long lines do not wrap. */
  @Test
  void redrawsATerminal() throws Exception {
    try (WatchedJvm watched = WatchedJvm.withDevice();
        WatchedProcess process = WatchedProcess.attach(Long.parseLong(watched.pid()))) {
      TopView screen = new TopView(process, TopView.Form.SCREEN);
      String first = print(screen);
      assertTrue(first.startsWith("\u001b[2J\u001b[H\u001b[?7lprocess "), first);
      String second = print(screen);
      assertTrue(second.startsWith("\u001b[H\u001b[?7lprocess "), second);
      assertTrue(second.endsWith("\u001b[J\u001b[?7h"), second);
      assertEquals(3, second.split("\u001b\\[K" + System.lineSeparator(), -1).length - 1, second);
    }
  }

  @Test
  void connectsToTheAddressOfAnAgent() throws Exception {
    try (WatchedJvm watched = WatchedJvm.withDevice()) {
      String address = JavaProcesses.startAgent(Long.parseLong(watched.pid()));
      try (WatchedProcess process = WatchedProcess.connect(address)) {
        JsonObject device = device(new TopView(process, TopView.Form.JSON));
        assertEquals("mock-0", device.get("name").getAsString());
      }
    }
  }

  @Test
  void reportsTheEndOfTheProcess() throws Exception {
    try (WatchedJvm watched = WatchedJvm.withDevice();
        WatchedProcess process = WatchedProcess.attach(Long.parseLong(watched.pid()))) {
      TopView view = new TopView(process, TopView.Form.LINES);
      String unused = print(view);
      watched.kill();
      HalException thrown = assertThrows(HalException.class, () -> print(view));
      assertEquals(Status.UNAVAILABLE, thrown.status());
      assertTrue(
          thrown.getMessage().endsWith("process " + watched.pid() + " has ended"),
          thrown::getMessage);
    }
  }
}
