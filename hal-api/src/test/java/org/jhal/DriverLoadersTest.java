// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jhal.DriverJars.Source;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Rule D4: which class loaders are searched for drivers, and which results are cached. */
@Timeout(120)
class DriverLoadersTest {
  @TempDir Path folder;

  private final List<URLClassLoader> loaders = new ArrayList<>();
  private final ClassLoader contextBefore = Thread.currentThread().getContextClassLoader();

  @AfterEach
  void cleanUp() throws IOException {
    Thread.currentThread().setContextClassLoader(contextBefore);
    DriverJars.forgetDrivers();
    for (URLClassLoader loader : loaders) {
      loader.close();
    }
  }

  /** A class loader to which jars can be added, and which counts its lookups. */
  private static final class Application extends URLClassLoader {
    int lookups;

    Application(String name, @Nullable ClassLoader parent, Path... parts) {
      super(name, Arrays.stream(parts).map(Application::url).toArray(URL[]::new), parent);
    }

    private static URL url(Path part) {
      try {
        return part.toUri().toURL();
      } catch (MalformedURLException e) {
        throw new AssertionError(e);
      }
    }

    void add(Path jar) {
      addURL(url(jar));
    }

    @Override
    public @Nullable URL findResource(String name) {
      lookups++;
      return super.findResource(name);
    }

    @Override
    public Enumeration<URL> findResources(String name) throws IOException {
      lookups++;
      return super.findResources(name);
    }
  }

  private Application application(String name, @Nullable ClassLoader parent, Path... parts) {
    Application loader = new Application(name, parent, parts);
    loaders.add(loader);
    return loader;
  }

  /** A second copy of JHAL, in a class loader with these jars. */
  private Application jhal(Path... jars) {
    Path[] parts = Arrays.copyOf(jars, jars.length + 1);
    parts[jars.length] = DriverJars.API;
    return application("jhal", null, parts); // all other loaders know the JHAL of this test
  }

  private static String openDevice(ClassLoader jhal, String uri) throws Exception {
    try {
      return String.valueOf(
          jhal.loadClass("org.jhal.Hal").getMethod("openDevice", String.class).invoke(null, uri));
    } catch (InvocationTargetException e) {
      return String.valueOf(e.getCause());
    }
  }

  private static String entries(ClassLoader jhal) throws Exception {
    Class<?> registry = jhal.loadClass("org.jhal.DriverRegistry");
    Object loaded = registry.getMethod("load").invoke(null);
    return String.valueOf(registry.getMethod("entries").invoke(loaded));
  }

  private Path jar(String name, Source... sources) {
    return DriverJars.jar(folder.resolve(name), List.of(sources));
  }

  private static Source driver(String name) {
    return new Source("drivers." + name, name);
  }

  private static void assertContains(String wanted, String text) {
    assertTrue(text.contains(wanted), () -> "expected: " + wanted + "\n but was: " + text);
  }

  /**
   * As in a jar of Spring Boot: the application, with JHAL and its drivers, is in a class loader of
   * its own, and threads of the common pool have that of the launcher as their context.
   */
  @Test
  void aThreadOfTheCommonPoolFindsTheDriversOfTheApplication() throws Exception {
    Path jar = jar("one.jar", driver("one"));
    Path main = Files.createDirectory(folder.resolve("main"));
    DriverJars.compile(
        main,
        "Main",
        """
        public class Main {
          public static void main(String[] args) {
            System.out.println(
                java.util.concurrent.CompletableFuture.supplyAsync(Main::open).join());
          }
          static String open() {
            ClassLoader context = Thread.currentThread().getContextClassLoader();
            if (context != ClassLoader.getSystemClassLoader()) {
              return "the test does not test what it means to: the context is " + context;
            }
            return org.jhal.Hal.openDevice("one") + ", " + org.jhal.Hal.openDevice();
          }
        }
        """);
    Path launcher = Files.createDirectory(folder.resolve("launcher"));
    DriverJars.compile(
        launcher,
        "Launcher",
        """
        public class Launcher {
          public static void main(String[] parts) throws Exception {
            java.net.URL[] urls = new java.net.URL[parts.length];
            for (int i = 0; i < parts.length; i++) {
              urls[i] = new java.io.File(parts[i]).toURI().toURL();
            }
            ClassLoader loader =
                new java.net.URLClassLoader(
                    "application", urls, ClassLoader.getSystemClassLoader());
            Thread.currentThread().setContextClassLoader(loader);
            loader.loadClass("Main").getMethod("main", String[].class)
                .invoke(null, (Object) new String[0]);
          }
        }
        """);

    String output =
        child(
            // With one processor supplyAsync() would start threads that inherit their context.
            "-Djava.util.concurrent.ForkJoinPool.common.parallelism=2",
            "-cp",
            launcher.toString(),
            "Launcher",
            DriverJars.API.toString(),
            jar.toString(),
            main.toString());
    assertTrue(output.endsWith("device one, device one"), output); // behind what is logged
  }

  @Test
  void searchesTheContextClassLoaderAndJhalsOwn() throws Exception {
    Path own = jar("own.jar", driver("zeta"), driver("alpha").preference(0));
    Path other = jar("other.jar", driver("middle"));
    Application jhal = jhal(own);
    String ownEntries =
        "[Entry[name=zeta, location="
            + own
            + ", problem=null], "
            + "Entry[name=alpha, location="
            + own
            + ", problem=null]]";

    Thread.currentThread().setContextClassLoader(null);
    assertEquals(ownEntries, entries(jhal));
    Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
    assertEquals(ownEntries, entries(jhal));
    assertEquals("device zeta", openDevice(jhal, "zeta"));
    Thread.currentThread().setContextClassLoader(application("application", jhal, other));
    assertEquals(
        "[Entry[name=middle, location=" + other + ", problem=null], " + ownEntries.substring(1),
        entries(jhal));
    assertEquals("device middle", openDevice(jhal, "middle"));
    assertEquals("device alpha", openDevice(jhal, "alpha"));
  }

  @Test
  void listsAProviderThatBothLoadersFindOnce() throws Exception {
    Path jar = jar("one.jar", driver("one"));
    Path broken =
        DriverJars.jar(folder.resolve("broken.jar"), List.of(), List.of("drivers.gone.Provider"));
    Application jhal = jhal(jar, broken);
    Thread.currentThread().setContextClassLoader(application("application", jhal));
    assertEquals(2, entries(jhal).split("Entry\\[", -1).length - 1, entries(jhal));
    assertEquals("device one", openDevice(jhal, "one"));

    // A second loader that has the same jar, and prefers its own classes.
    URLClassLoader selfish =
        new URLClassLoader(new URL[] {Application.url(jar)}, jhal) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
              Class<?> loaded = findLoadedClass(name);
              return loaded != null
                  ? loaded
                  : name.startsWith("drivers.") ? findClass(name) : super.loadClass(name, resolve);
            }
          }
        };
    loaders.add(selfish);
    Thread.currentThread().setContextClassLoader(selfish);
    assertEquals(2, entries(jhal).split("Entry\\[", -1).length - 1, entries(jhal));
    assertEquals("device one", openDevice(jhal, "one"));
  }

  @Test
  void namesBothJarsOfTwoDriversOfOneNameInTwoLoaders() throws Exception {
    Path first = jar("first.jar", new Source("drivers.first", "same"));
    Path second = jar("second.jar", new Source("drivers.second", "same"));
    Application jhal = jhal(first);
    Thread.currentThread().setContextClassLoader(application("application", jhal, second));
    assertContains(
        "driver 'same' cannot be used: there are 2 drivers of this name: in "
            + first
            + " and in "
            + second,
        openDevice(jhal, "same"));
  }

  @Test
  void namesTheLoadersIfNoDriverIsFound() {
    Thread.currentThread().setContextClassLoader(application("application", contextBefore));
    String notFound =
        "no jar or module with a driver was found by the class loader of JHAL itself (app) or"
            + " by the context class loader of thread '"
            + Thread.currentThread().getName()
            + "' (application)";
    HalException named = assertThrows(HalException.class, () -> Hal.openDevice("mock"));
    HalException any = assertThrows(HalException.class, Hal::openDevice);

    assertEquals(Status.NOT_FOUND, named.status());
    assertEquals("no driver 'mock'; found: none at all: " + notFound, named.getMessage());
    assertEquals(Status.NOT_FOUND, any.status());
    assertEquals("no driver: " + notFound, any.getMessage());
  }

  @Test
  void cachesTheDriversOfJhalsOwnClassLoader() throws Exception {
    Application jhal = jhal(jar("one.jar", driver("one"), driver("two")));
    Thread.currentThread().setContextClassLoader(null);
    assertEquals("device one", openDevice(jhal, "one"));
    int lookups = jhal.lookups;
    assertTrue(lookups > 0, "the first search was not seen");

    assertEquals("device two", openDevice(jhal, "two"));
    assertEquals("device one", openDevice(jhal, "one"));
    assertEquals(lookups, jhal.lookups);
  }

  @Test
  void findsADriverThatIsAddedLater() throws Exception {
    Application jhal = jhal(jar("one.jar", driver("one")));
    Thread.currentThread().setContextClassLoader(null);
    assertEquals("device one", openDevice(jhal, "one"));

    Path two = jar("two.jar", driver("two"));
    Application later = application("later", jhal, two);
    Thread.currentThread().setContextClassLoader(later);
    assertEquals("device two", openDevice(jhal, "two"));
    later.add(jar("three.jar", driver("three")));
    assertEquals("device three", openDevice(jhal, "three"));

    Thread.currentThread().setContextClassLoader(null);
    assertContains("no driver 'two'; found: one", openDevice(jhal, "two"));
    jhal.add(two);
    assertEquals("device two", openDevice(jhal, "two"));
  }

  @Test
  void namesTheCausesOfADriverThatCannotBeCreated() throws Exception {
    String creation =
        "throw new ExceptionInInitializerError(new IllegalStateException(\"outer\","
            + " new java.io.IOException(\"no such port\")));";
    Application jhal = jhal(jar("one.jar", driver("one").creation(creation)));
    Thread.currentThread().setContextClassLoader(null);
    String refused = openDevice(jhal, "one");
    assertContains(
        "does not start: java.lang.ExceptionInInitializerError, caused by"
            + " java.lang.IllegalStateException: outer, caused by java.io.IOException: no such port",
        refused);
  }

  @Test
  void retriesADriverThatCouldNotBeCreated() throws Exception {
    Application jhal =
        jhal(
            jar(
                "one.jar",
                driver("one")
                    .creation(
                        "if (Boolean.getBoolean(\"jhal.test.fail\"))"
                            + " throw new OutOfMemoryError(\"none\");"
                            + " return new TheDriver();")));
    Thread.currentThread().setContextClassLoader(null);
    System.setProperty("jhal.test.fail", "true");
    try {
      String refused = openDevice(jhal, "one");
      assertContains("does not start: java.lang.OutOfMemoryError", refused);
      assertContains("RESOURCE_EXHAUSTED", refused);
    } finally {
      System.clearProperty("jhal.test.fail");
      System.clearProperty("jhal.test.one");
    }
    assertEquals("device one", openDevice(jhal, "one"));
  }

  @Test
  void keepsNoClassLoaderOfAnApplication() throws Exception {
    ReferenceQueue<ClassLoader> queue = new ReferenceQueue<>();
    WeakReference<ClassLoader> application = openAndLeave(queue);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    Reference<?> collected = null;
    while (collected == null && System.nanoTime() < deadline) {
      System.gc();
      collected = queue.remove(100);
    }
    assertNotNull(
        collected, () -> "waited 60 s for the garbage collector to take " + application.get());
  }

  private WeakReference<ClassLoader> openAndLeave(ReferenceQueue<ClassLoader> queue)
      throws Exception {
    try (URLClassLoader application = DriverJars.loader(jar("one.jar", driver("one")))) {
      Thread.currentThread().setContextClassLoader(application);
      assertEquals("device one", Hal.openDevice("one").toString());
      assertEquals("device one", Hal.openDevice().toString());
      return new WeakReference<>(application, queue);
    } finally {
      Thread.currentThread().setContextClassLoader(contextBefore);
    }
  }

  /**
   * Its service puts it into the module graph, but not the modules that it was compiled against.
   */
  @Test
  void suggestsAddingModulesIfAnAutomaticModuleMissesSome() throws Exception {
    String creation = "throw new NoClassDefFoundError(\"org/engine/Engine\");";
    Path driver = jar("driver-one-1.0.jar", driver("one").creation(creation));
    Path main = Files.createDirectory(folder.resolve("main"));
    DriverJars.compile(
        main,
        "Main",
        "public class Main { public static void main(String[] a) {"
            + " System.out.println(org.jhal.DriverRegistry.load().entries());"
            + " try { org.jhal.Hal.openDevice(\"one\"); }"
            + " catch (org.jhal.HalException e) { System.out.println(e.getMessage()); } } }");

    assertEquals(
        "[Entry[name=one, location="
            + driver
            + ", problem=null]]\ndriver 'one' of "
            + driver
            + " does not start: java.lang.NoClassDefFoundError: org/engine/Engine; as an automatic"
            + " module, driver.one cannot say which modules it needs: start the JVM with"
            + " --add-modules ALL-MODULE-PATH",
        child(
            "--module-path",
            DriverJars.API + File.pathSeparator + driver,
            "--add-modules",
            "org.jhal",
            "-cp",
            main.toString(),
            "Main"));
  }

  /** Returns the output of a separate JVM. */
  private String child(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(arguments));
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertTrue(
          process.waitFor(60, TimeUnit.SECONDS), () -> "waited 60 s for this to end: " + command);
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output).strip().replace(System.lineSeparator(), "\n");
  }
}
