package org.jhal.bench.process;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** An application server unloads an application that has closed its devices. */
class ClassLoaderTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @Test
  void nothingKeepsTheClassLoaderOfAnApplicationThatHasClosedItsDevices() throws Exception {
    WeakReference<ClassLoader> application = runApplication();
    long start = System.nanoTime();
    while (application.get() != null) {
      System.gc();
      assertTrue(
          System.nanoTime() - start < DEADLINE.toNanos(),
          () -> "the class loader is alive after " + DEADLINE + "; threads: " + threads());
      Thread.onSpinWait();
    }
  }

  private static String threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .sorted()
        .collect(Collectors.joining(", "));
  }

  private static WeakReference<ClassLoader> runApplication()
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
      // On this very thread, which lives on as those of a server do.
      ((Runnable)
              loader.loadClass(UsesDevices.class.getName()).getDeclaredConstructor().newInstance())
          .run();
      return new WeakReference<>(loader);
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
