// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Makes jars with drivers, for a class path. */
final class DriverJars {
  /** Where JHAL's own classes are. */
  static final Path API = placeOf(Hal.class);

  private static final String SERVICE = "META-INF/services/org.jhal.spi.DriverProvider";

  private DriverJars() {}

  /**
   * The source of a provider {@code PACKAGE.Provider} and its driver. The driver's devices print as
   * the URI that opened them. Making the driver sets the system property {@code jhal.test.NAME}.
   */
  static final class Source {
    final String packageName;
    private final String name;
    private String api = "API_VERSION";
    private String spi = "SPI_VERSION";
    private String preference = "return 100;";
    private String construction = "";
    private String naming = "return NAME;";
    private String creation = "return new TheDriver();";
    private String probing = "return Availability.available(\"fine\");";
    private String listing = "return List.of();";
    private String opening = "return device(uri);";
    private String member = "";
    private String base = "";

    Source(String packageName, String name) {
      this.packageName = packageName;
      this.name = name;
    }

    /** The version of the API that the driver says it was compiled against. */
    Source api(String version) {
      api = '"' + version + '"';
      return this;
    }

    /** The version of the SPI that the driver says it was compiled against. */
    Source spi(String version) {
      spi = '"' + version + '"';
      return this;
    }

    Source preference(int number) {
      preference = "return " + number + ";";
      return this;
    }

    /** A member of the provider. */
    Source member(String declaration) {
      member = declaration;
      return this;
    }

    /** Statements of the provider's constructor. */
    Source construction(String statements) {
      construction = statements;
      return this;
    }

    /** Statements of {@code String name()}. */
    Source naming(String statements) {
      naming = statements;
      return this;
    }

    /** Statements of {@code Driver create()}. */
    Source creation(String statements) {
      creation = statements;
      return this;
    }

    /** Statements of {@code Availability probe()}. */
    Source probing(String statements) {
      probing = statements;
      return this;
    }

    /** Makes the driver unavailable. */
    Source unavailable(String why) {
      return probing("return Availability.unavailable(\"" + why + "\");");
    }

    /** Statements of {@code List<DeviceInfo> devices(DeviceUri uri)}. */
    Source listing(String statements) {
      listing = statements;
      return this;
    }

    /** Statements of {@code Device open(DeviceUri uri)}. */
    Source opening(String statements) {
      opening = statements;
      return this;
    }

    /** A superclass of the provider that a test can take away: {@code PACKAGE.Base}. */
    Source withBase() {
      base = "class Base {}";
      return this;
    }

    String text() {
      return """
      package @PACKAGE@;
      import java.util.*;
      import org.jhal.*;
      import org.jhal.spi.DriverProvider;
      public class Provider @BASE@ implements DriverProvider {
        static final String NAME = "@NAME@";
        @MEMBER@
        public Provider() { @CONSTRUCTION@ }
        public String name() { @NAMING@ }
        public String apiVersion() { return @API@; }
        public String spiVersion() { return @SPI@; }
        public int preference() { @PREFERENCE@ }
        public Driver create() {
          System.setProperty("jhal.test." + NAME, "created");
          @CREATION@
        }
        static Device device(DeviceUri uri) {
          return (Device) java.lang.reflect.Proxy.newProxyInstance(
              Provider.class.getClassLoader(),
              new Class<?>[] {Device.class},
              (proxy, method, arguments) -> "device " + uri);
        }
        static class TheDriver implements Driver {
          public String name() { return NAME; }
          public Availability probe() { @PROBING@ }
          public List<DeviceInfo> devices(DeviceUri uri) { @LISTING@ }
          public Device open(DeviceUri uri) { @OPENING@ }
        }
      }
      @BASECLASS@
      """
          .replace("@PACKAGE@", packageName)
          .replace("@BASE@", base.isEmpty() ? "" : "extends Base")
          .replace("@NAME@", name)
          .replace("@CONSTRUCTION@", construction)
          .replace("@NAMING@", naming)
          .replace("@API@", api)
          .replace("@SPI@", spi)
          .replace("@PREFERENCE@", preference)
          .replace("@CREATION@", creation)
          .replace("@PROBING@", probing)
          .replace("@LISTING@", listing)
          .replace("@OPENING@", opening)
          .replace("@MEMBER@", member)
          .replace("@BASECLASS@", base);
    }
  }

  /** Removes what drivers have set, and other properties of tests, behind a test that made any. */
  static void forgetDrivers() {
    System.getProperties().keySet().removeIf(key -> key.toString().startsWith("jhal.test."));
  }

  /** Compiles {@code sources} and packs them, registered as services, without {@code leftOut}. */
  static Path jar(Path jar, List<Source> sources, String... leftOut) {
    return jar(
        jar, sources, sources.stream().map(s -> s.packageName + ".Provider").toList(), leftOut);
  }

  /** The same with {@code services} as the lines of the service file. */
  static Path jar(Path jar, List<Source> sources, List<String> services, String... leftOut) {
    try {
      Files.createDirectories(jar.toAbsolutePath().getParent());
      Path classes = Files.createTempDirectory("driver-classes");
      try {
        for (Source source : sources) {
          compile(classes, "Provider", source.text());
        }
        pack(jar, classes, services, Arrays.asList(leftOut));
      } finally {
        delete(classes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return jar;
  }

  /** Compiles one public class against what is in {@code before}, and then against JHAL. */
  static void compile(Path classes, String className, String text, Path... before)
      throws IOException {
    Path folder = Files.createTempDirectory("driver-source");
    try {
      Path file = folder.resolve(className + ".java");
      Files.writeString(file, text);
      StringWriter said = new StringWriter();
      PrintWriter out = new PrintWriter(said);
      int result =
          ToolProvider.findFirst("javac")
              .orElseThrow(() -> new AssertionError("this Java has no compiler; a JDK is needed"))
              .run(
                  out,
                  out,
                  "-proc:none",
                  "-d",
                  classes.toString(),
                  "-cp",
                  Stream.concat(Stream.of(before), Stream.of(API))
                      .map(Path::toString)
                      .collect(Collectors.joining(File.pathSeparator)),
                  file.toString());
      if (result != 0) {
        throw new AssertionError("the test's own source does not compile: " + said);
      }
    } finally {
      delete(folder);
    }
  }

  private static void pack(Path jar, Path classes, List<String> services, List<String> leftOut)
      throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      out.putNextEntry(new ZipEntry(SERVICE));
      out.write((String.join("\n", services) + "\n").getBytes(StandardCharsets.UTF_8));
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String name = classes.relativize(file).toString().replace('\\', '/');
        if (!leftOut.contains(name)) {
          out.putNextEntry(new ZipEntry(name));
          out.write(Files.readAllBytes(file));
        }
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> all = new ArrayList<>(files.toList());
      Collections.reverse(all);
      for (Path file : all) {
        Files.delete(file);
      }
    }
  }

  /** A class loader that sees JHAL and these jars. */
  static URLClassLoader loader(Path... jars) {
    URL[] urls = new URL[jars.length];
    for (int i = 0; i < jars.length; i++) {
      try {
        urls[i] = jars[i].toUri().toURL();
      } catch (MalformedURLException e) {
        throw new AssertionError(e);
      }
    }
    return new URLClassLoader(urls, DriverJars.class.getClassLoader());
  }

  /** The folder or jar that a class comes from. */
  private static Path placeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}
