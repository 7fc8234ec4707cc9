// SPDX-License-Identifier: Apache-2.0
package org.jhal.spring;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jhal.Device;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** A whole application that finds the starter as users do: by its jar alone. */
class StartTest {
  @EnableAutoConfiguration
  static class Application {
    @Bean
    Doubling doubling(Device device) {
      return new Doubling(device);
    }
  }

  @Test
  void anApplicationStartsComputesAndStops() throws Exception {
    Device device;
    try (ConfigurableApplicationContext context = start("--jhal.device=mock")) {
      device = context.getBean(Device.class);
      assertArrayEquals(new float[] {8}, context.getBean(Doubling.class).twice(4));
    }
    assertTrue(device.isClosed());
  }

  /** The report says what was to be opened, why, what there is, and what can be done. */
  @Test
  void aWrongDeviceIsExplained() {
    FailureAnalysis report = failureOf("--jhal.device=mokc");
    assertContains(
        report.getDescription(),
        "device 'mokc' cannot be opened: NOT_FOUND: no driver 'mokc'",
        "jhal.device is 'mokc', from \"jhal.device\" from property source \"commandLineArgs\"",
        "mock://0: ");
    assertContains(report.getAction(), "org.jhal:driver-cpu", "jhal.enabled=false");
  }

  @Test
  void aWrongSettingIsExplained() {
    FailureAnalysis report = failureOf("--jhal.device=mock://0?queues=many");
    assertContains(report.getDescription(), "INVALID_ARGUMENT", "queues", "'many'");
    assertContains(report.getAction(), "Correct jhal.device");
  }

  @Test
  void aMissingNameIsExplained() {
    FailureAnalysis report = failureOf("--jhal.close-timeout=1s");
    assertContains(
        report.getDescription(), "jhal.device must name the driver", "jhal.device is not set");
    assertContains(report.getAction(), "Correct the properties jhal.*");
  }

  @Test
  void eachPropertyIsDescribedForTheIde() throws IOException {
    try (InputStream in =
        JhalAutoConfiguration.class.getResourceAsStream(
            "/META-INF/spring-configuration-metadata.json")) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      for (String name :
          new String[] {
            "jhal.device",
            "jhal.close-timeout",
            "jhal.enabled",
            "jhal.health.oldest-operation",
            "management.health.jhal.enabled"
          }) {
        int at = text.indexOf("\"name\": \"" + name + "\"");
        assertTrue(at >= 0, () -> name + " is missing in " + text);
        String entry = text.substring(at, text.indexOf('}', at));
        assertTrue(entry.contains("\"description\": \""), entry);
      }
    }
  }

  /** What Spring Boot reports when the application does not start. */
  private static FailureAnalysis failureOf(String... args) {
    KeptReports.last = null;
    assertThrows(BeanCreationException.class, () -> start(args));
    return Objects.requireNonNull(KeptReports.last, "no failure was analyzed");
  }

  private static void assertContains(@Nullable String text, String... parts) {
    String all = String.valueOf(text);
    for (String part : parts) {
      assertTrue(all.contains(part), () -> "\"" + part + "\" is missing in: " + all);
    }
  }

  private static ConfigurableApplicationContext start(String... args) {
    SpringApplication application = new SpringApplication(Application.class);
    application.setBannerMode(Banner.Mode.OFF);
    return application.run(args);
  }
}
