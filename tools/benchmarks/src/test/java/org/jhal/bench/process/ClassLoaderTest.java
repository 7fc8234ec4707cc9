// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application server unloads an application that has closed its devices. */
class ClassLoaderTest {
  @TempDir private Path folder;

  private static final Duration DEADLINE = Duration.ofSeconds(60);

  /** Gets the class loaders that were unloaded. */
  private static final ReferenceQueue<ClassLoader> UNLOADED = new ReferenceQueue<>();

  @Test
  void anApplicationThatHasClosedItsDevicesIsUnloaded() throws Exception {
    awaitUnloaded(runApplication(UsesDevices.class));
  }

  /** Only the application itself refers to a semaphore and other objects without native memory. */
  @Test
  @Tag("long")
  void anApplicationWithASemaphoreInAStaticFieldIsUnloaded() throws Exception {
    awaitUnloaded(runApplication(KeepsSemaphore.class));
  }

  /** The recorder outlives the application. */
  @Test
  void anApplicationIsUnloadedWhileARecordingGoesOn() throws Exception {
    try (Recording recording = new Recording()) {
      for (String event : List.of("Submission", "Operation", "Allocation", "Name")) {
        recording.enable("org.jhal." + event);
      }
      recording.start();
      WeakReference<ClassLoader> application = runApplication(UsesDevices.class);
      awaitUnloaded(application);
      Path made = folder.resolve("made.jfr");
      recording.dump(made);
      Set<String> events =
          RecordingFile.readAllEvents(made).stream()
              .map(event -> event.getEventType().getName())
              .collect(Collectors.toSet());
      assertTrue(events.contains("org.jhal.Name"), () -> "the application recorded " + events);
    }
  }

  private static void awaitUnloaded(WeakReference<ClassLoader> application)
      throws InterruptedException {
    long start = System.nanoTime();
    while (application.get() != null) {
      System.gc();
      assertTrue(
          System.nanoTime() - start < DEADLINE.toNanos(),
          () -> "the class loader is alive after " + DEADLINE + "; threads: " + threads());
      var unused = UNLOADED.remove(50);
    }
  }

  private static String threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .sorted()
        .collect(Collectors.joining(", "));
  }

  private static WeakReference<ClassLoader> runApplication(Class<? extends Runnable> program)
      throws ReflectiveOperationException, IOException {
    URL[] classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(ClassLoaderTest::url)
            .toArray(URL[]::new);
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    // Apart from the class loader of this test, which has the same classes.
    try (URLClassLoader loader =
        new URLClassLoader("application", classPath, ClassLoader.getPlatformClassLoader())) {
      Thread.currentThread().setContextClassLoader(loader);
      // On this thread, which outlives the application like the threads of a server.
      ((Runnable) loader.loadClass(program.getName()).getDeclaredConstructor().newInstance()).run();
      return new WeakReference<>(loader, UNLOADED);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(entry, e);
    }
  }
}
