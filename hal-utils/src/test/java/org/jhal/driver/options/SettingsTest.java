// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jhal.DeviceUri;
import org.jhal.HalException;
import org.jhal.Setting;
import org.jhal.Status;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rule D5: where settings come from, and what is refused. */
class SettingsTest {
  private static final Option<Long> QUEUES =
      Option.integer("queues", 2, 1, 64, "queues", "How many queues a device has");
  private static final Option<Long> MEMORY =
      Option.bytes("memory", 64 << 20, 0, 8L << 30, "How much memory there is");
  private static final Option<Duration> CLOSE =
      Option.duration(
          "close-timeout",
          Duration.ofSeconds(10),
          Duration.ZERO,
          Duration.ofSeconds(3600),
          "How long closing waits");
  private static final Option<String> LEAKS =
      Option.choice("leaks", "log", List.of("off", "log", "trace"), "What is logged about leaks");
  private static final Option<String> PATH = Option.text("path", "", "Where to look");
  private static final Option<Long> LIMIT = Option.bytesOrAll("limit", "How much is used at most");
  private static final List<Option<?>> ALL = List.of(QUEUES, MEMORY, CLOSE, LEAKS, PATH, LIMIT);

  @Test
  void defaultsApplyWithoutSettings() {
    Settings settings = resolve("my-mock", Map.of(), Map.of());

    assertEquals(2, settings.get(QUEUES));
    assertEquals(2, settings.getInt(QUEUES));
    assertEquals(64L << 20, settings.get(MEMORY));
    assertEquals(Duration.ofSeconds(10), settings.get(CLOSE));
    assertEquals("log", settings.get(LEAKS));
    assertEquals("default", settings.origin(LEAKS));
    assertEquals("", settings.get(PATH));
    assertEquals(
        List.of(
            new Setting(
                "queues",
                "2",
                "default",
                "How many queues a device has; a whole number of queues from 1 to 64"),
            new Setting(
                "memory",
                "64m",
                "default",
                "How much memory there is; a size from 0 to 8g, in bytes or with the suffix k, m"
                    + " or g"),
            new Setting(
                "close-timeout",
                "10s",
                "default",
                "How long closing waits; a time from 0ns to 3600s, with the unit ns, us, ms or s"),
            new Setting(
                "leaks", "log", "default", "What is logged about leaks; one of off, log, trace"),
            new Setting("path", "", "default", "Where to look; a text"),
            new Setting(
                "limit",
                "all",
                "default",
                "How much is used at most; all, or a size of at least 0, in bytes or with the"
                    + " suffix k, m or g")),
        settings.toList());
  }

  @Test
  void theUriPrecedesThePropertyThenTheVariableThenTheDefault() {
    Map<String, String> properties =
        Map.of("jhal.my-mock.queues", "4", "jhal.my-mock.close-timeout", "250us");
    Map<String, String> environment =
        Map.of(
            "JHAL_MY_MOCK_QUEUES",
            "5",
            "JHAL_MY_MOCK_CLOSE_TIMEOUT",
            "1s",
            "JHAL_MY_MOCK_MEMORY",
            "3g");

    Settings settings = resolve("my-mock://?queues=3", properties, environment);

    assertEquals(3, settings.get(QUEUES));
    assertEquals(Duration.ofNanos(250_000), settings.get(CLOSE));
    assertEquals(3L << 30, settings.get(MEMORY));
    assertEquals(
        List.of(
            "queues=3 uri",
            "memory=3g environment JHAL_MY_MOCK_MEMORY",
            "close-timeout=250us property jhal.my-mock.close-timeout",
            "leaks=log default",
            "path= default",
            "limit=all default"),
        settings.toList().stream()
            .map(s -> s.name() + "=" + s.value() + " " + s.origin())
            .toList());
  }

  @Test
  void emptyPropertiesAndVariablesCountAsNotSet() {
    Settings settings =
        resolve(
            "my-mock",
            Map.of("jhal.my-mock.queues", ""),
            Map.of("JHAL_MY_MOCK_QUEUES", "", "JHAL_MY_MOCK_LEAKS", "off"));

    assertEquals(2, settings.get(QUEUES));
    assertEquals("off", settings.get(LEAKS));
  }

  @Test
  void readsTheRealSystemProperties() {
    System.setProperty("jhal.settings-test.queues", "7");
    try {
      Settings settings = Settings.resolve("settings-test", ALL, DeviceUri.parse("settings-test"));

      assertEquals(7, settings.get(QUEUES));
    } finally {
      System.clearProperty("jhal.settings-test.queues");
    }
  }

  @Test
  void anUnknownOptionIsRejectedWithTheKnownOnes() {
    HalException refused =
        assertThrows(HalException.class, () -> resolve("my-mock://1?queue=3", Map.of(), Map.of()));

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertEquals(
        "unknown option 'queue' in 'my-mock://1?queue=3', did you mean 'queues'?;"
            + " driver 'my-mock' knows queues, memory, close-timeout, leaks, path, limit",
        refused.getMessage());
  }

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource({
    "queues, 64, 64",
    "queues, 007, 7",
    "memory, 0, 0",
    "memory, 4096, 4k",
    "memory, 1000, 1000",
    "memory, 2K, 2k",
    "memory, 1024m, 1g",
    "memory, 8G, 8g",
    "limit, all, all",
    "limit, 8g, 8g",
    "limit, 0, 0",
    "close-timeout, 0s, 0ns",
    "close-timeout, 1500ms, 1500ms",
    "close-timeout, 2000ms, 2s",
    "close-timeout, 3600s, 3600s",
    "leaks, trace, trace",
    "path, a b=c, a b=c",
  })
  void acceptsValuesUpToTheirLimits(String option, String text, String shown) {
    Settings settings =
        Settings.resolve(
            "mock", ALL, new DeviceUri("mock", "", Map.of(option, text)), k -> null, k -> null);

    Setting setting =
        settings.toList().stream().filter(s -> s.name().equals(option)).findFirst().orElseThrow();
    assertEquals(shown, setting.value());
  }

  @ParameterizedTest(name = "{0}={1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "queues | 0 | OUT_OF_RANGE | a whole number of queues from 1 to 64",
        "queues | 65 | OUT_OF_RANGE | a whole number of queues from 1 to 64",
        "queues | 99999999999999999999 | OUT_OF_RANGE | a whole number of queues from 1 to 64",
        "queues | -1 | OUT_OF_RANGE | a whole number of queues from 1 to 64",
        "queues | '' | INVALID_ARGUMENT | a whole number of queues from 1 to 64",
        "queues | two | INVALID_ARGUMENT | a whole number of queues from 1 to 64",
        "queues | 2.0 | INVALID_ARGUMENT | a whole number of queues from 1 to 64",
        "queues | 2k | INVALID_ARGUMENT | a whole number of queues from 1 to 64",
        "memory | 9g | OUT_OF_RANGE | a size from 0 to 8g",
        "memory | 9999999999999999g | OUT_OF_RANGE | a size from 0 to 8g",
        "memory | -1 | OUT_OF_RANGE | a size from 0 to 8g",
        "memory | -1k | OUT_OF_RANGE | a size from 0 to 8g",
        "memory | - | INVALID_ARGUMENT | a size from 0 to 8g",
        "limit | -1 | OUT_OF_RANGE | all, or a size of at least 0",
        "limit | 9999999999999999g | OUT_OF_RANGE | all, or a size of at least 0",
        "limit | All | INVALID_ARGUMENT | all, or a size of at least 0",
        "memory | 1t | INVALID_ARGUMENT | a size from 0 to 8g",
        "memory | 1 k | INVALID_ARGUMENT | a size from 0 to 8g",
        "close-timeout | 10 | INVALID_ARGUMENT | a time from 0ns to 3600s, with the unit",
        "close-timeout | 1.5s | INVALID_ARGUMENT | a time from 0ns to 3600s",
        "close-timeout | -1s | OUT_OF_RANGE | a time from 0ns to 3600s",
        "close-timeout | 3601s | OUT_OF_RANGE | a time from 0ns to 3600s",
        "close-timeout | 9999999999999s | OUT_OF_RANGE | a time from 0ns to 3600s",
        "leaks | Trace | INVALID_ARGUMENT | one of off, log, trace",
      })
  void refusesAWrongValueWithItsOriginAndLimits(
      String option, String text, Status status, String rule) {
    HalException fromUri =
        assertThrows(
            HalException.class,
            () ->
                Settings.resolve(
                    "mock",
                    ALL,
                    new DeviceUri("mock", "", Map.of(option, text)),
                    k -> null,
                    k -> null));
    checkRefusal(fromUri, option, text, status, "uri", rule);

    if (!text.isEmpty()) {
      String property = "jhal.my-mock." + option;
      HalException fromProperty =
          assertThrows(
              HalException.class, () -> resolve("my-mock", Map.of(property, text), Map.of()));
      checkRefusal(fromProperty, option, text, status, "property " + property, rule);
    }
  }

  private static void checkRefusal(
      HalException refused, String option, String text, Status status, String origin, String rule) {
    assertEquals(status, refused.status());
    String start =
        "option '" + option + "' is '" + text + "' (from " + origin + "); it must be " + rule;
    assertTrue(
        refused.getMessage().startsWith(start),
        () -> "expected: " + start + "\n but was: " + refused.getMessage());
  }

  @Test
  void aDriversMalformedOptionIsRefused() {
    assertEquals(
        Status.OUT_OF_RANGE,
        assertThrows(HalException.class, () -> Option.integer("n", 9, 0, 8, "things", "A number"))
            .status());
    assertEquals(
        Status.INVALID_ARGUMENT,
        assertThrows(HalException.class, () -> Option.choice("c", "x", List.of("y"), "A choice"))
            .status());
    assertEquals(
        "option name 'Big_Name'; it must be lower-case words with dashes between them",
        assertThrows(HalException.class, () -> Option.text("Big_Name", "", "A name")).getMessage());
    assertEquals(
        "driver 'mock' declares the option 'queues' twice",
        assertThrows(
                HalException.class,
                () -> Settings.resolve("mock", List.of(QUEUES, QUEUES), DeviceUri.parse("mock")))
            .getMessage());
  }

  @Test
  void anUnresolvedOptionIsRefused() {
    Settings settings = Settings.resolve("mock", List.of(QUEUES), DeviceUri.parse("mock"));

    HalException refused = assertThrows(HalException.class, () -> settings.get(MEMORY));

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
  }

  @Test
  void getIntRefusesANumberBeyondInt() {
    Option<Long> seed = Option.integer("seed", 1L << 40, 0, Long.MAX_VALUE, "seeds", "A seed");
    Settings settings = Settings.resolve("mock", List.of(seed), DeviceUri.parse("mock"));

    assertEquals(1L << 40, settings.get(seed));
    assertEquals(
        Status.OUT_OF_RANGE,
        assertThrows(HalException.class, () -> settings.getInt(seed)).status());
  }

  @Test
  void aFolderIsAnAbsolutePathOrOff() {
    Option<Optional<Path>> folder =
        Option.folder("folder", Optional.of(Path.of("/a/b")), "Where files are");
    List<Option<?>> options = List.of(folder);

    Settings settings = Settings.resolve("f", options, DeviceUri.parse("f"));
    assertEquals(Optional.of(Path.of("/a/b")), settings.get(folder));
    assertEquals(
        List.of(
            new Setting(
                "folder",
                "/a/b",
                "default",
                "Where files are; the absolute path of a folder, or off")),
        settings.toList());

    settings = Settings.resolve("f", options, DeviceUri.parse("f://0?folder=/c%20d"));
    assertEquals(Optional.of(Path.of("/c d")), settings.get(folder));
    settings = Settings.resolve("f", options, DeviceUri.parse("f://0?folder=off"));
    assertEquals(Optional.empty(), settings.get(folder));
    assertEquals("off", settings.toList().get(0).value());

    for (String wrong : List.of("", "a", "./a", "~/a", "OFF", "/a%00")) {
      DeviceUri uri = DeviceUri.parse("f://0?folder=" + wrong);
      HalException refused =
          assertThrows(HalException.class, () -> Settings.resolve("f", options, uri), wrong);
      assertEquals(Status.INVALID_ARGUMENT, refused.status());
      assertTrue(
          String.valueOf(refused.getMessage())
              .endsWith("(from uri); it must be the absolute path of a folder, or off"),
          refused::getMessage);
    }
  }

  private static Settings resolve(
      String uri, Map<String, String> properties, Map<String, String> environment) {
    return Settings.resolve(
        "my-mock", ALL, DeviceUri.parse(uri), properties::get, environment::get);
  }
}
