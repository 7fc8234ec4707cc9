// SPDX-License-Identifier: Apache-2.0
package com.example.spring;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jhal.*;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Fills a buffer once, and ends. */
@SpringBootApplication
public class Application {
  public static void main(String[] args) {
    SpringApplication.run(Application.class, args);
  }

  @Bean
  CommandLineRunner fill(Device device) {
    return args -> {
      int[] filled =
          device
              .queue(1)
              .compute(
                  Duration.ofSeconds(60),
                  steps -> {
                    int[] values = new int[3];
                    DeviceBuffer x = steps.allocate(ElementType.I32, values.length);
                    steps.fill(x, FillPattern.of(7));
                    steps.readback(x, HostMemory.of(values));
                    return values;
                  })
              .get(90, TimeUnit.SECONDS);
      System.out.println("spring: " + Arrays.toString(filled));
    };
  }
}
