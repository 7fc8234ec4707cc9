// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jhal.DriverJars.Source;
import org.jhal.DriverRegistry.Addresses;
import org.jhal.DriverRegistry.Entry;
import org.jhal.spi.DriverProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules D1, D2 and D4: finding drivers, broken ones, and the messages of failed lookups. */
class DriverRegistryTest {
  @TempDir Path folder;

  private final List<URLClassLoader> loaders = new ArrayList<>();
  private final ClassLoader contextBefore = Thread.currentThread().getContextClassLoader();

  @AfterEach
  void cleanUp() throws IOException {
    Thread.currentThread().setContextClassLoader(contextBefore);
    System.clearProperty(Hal.DEVICE_PROPERTY);
    DriverJars.forgetDrivers();
    for (URLClassLoader loader : loaders) {
      loader.close();
    }
  }

  private ClassLoader loader(Path... jars) {
    URLClassLoader loader = DriverJars.loader(jars);
    loaders.add(loader);
    return loader;
  }

  private DriverRegistry registry(Path... jars) {
    return DriverRegistry.load(loader(jars));
  }

  private Path jar(String name, Source... sources) {
    return DriverJars.jar(folder.resolve(name), List.of(sources));
  }

  private static Source driver(String name) {
    return new Source("drivers." + name.replace('-', '_'), name);
  }

  private static void assertContains(String wanted, String text) {
    assertTrue(text.contains(wanted), () -> "expected: " + wanted + "\n but was: " + text);
  }

  @Test
  void reportsThatThereIsNoDriver() {
    DriverRegistry registry = registry();

    assertEquals(List.of(), registry.entries());
    HalException named = assertThrows(HalException.class, () -> registry.driver("mock"));
    HalException opened = assertThrows(HalException.class, () -> registry.openDevice("mock://1"));
    HalException any = assertThrows(HalException.class, registry::openDefaultDevice);

    assertEquals(Status.NOT_FOUND, named.status());
    String notFound =
        "no jar or module with a driver was found by the given class loader ("
            + loaders.get(0)
            + ")";
    assertEquals("no driver 'mock'; found: none at all: " + notFound, named.getMessage());
    assertEquals(named.getMessage(), opened.getMessage());
    assertEquals(Status.NOT_FOUND, any.status());
    assertEquals("no driver: " + notFound, any.getMessage());
  }

  @Test
  void listsByPreferenceThenNameAndInitialisesNoDriver() {
    Path one = jar("one.jar", driver("zeta"), driver("host").preference(0));
    Path two = jar("two.jar", driver("best").preference(200), driver("alpha"));

    DriverRegistry registry = registry(one, two);

    assertEquals(
        List.of(
            new Entry("best", two.toString(), null),
            new Entry("alpha", two.toString(), null),
            new Entry("zeta", one.toString(), null),
            new Entry("host", one.toString(), null)),
        registry.entries());
    for (String name : List.of("zeta", "host", "best", "alpha")) {
      assertNull(System.getProperty("jhal.test." + name), name + " was made");
    }
    registry.driver("alpha");
    assertEquals("created", System.clearProperty("jhal.test.alpha"));
    assertNull(System.getProperty("jhal.test.zeta"), "zeta was made");
  }

  @Test
  void createsADriverOnce() {
    DriverRegistry registry = registry(jar("one.jar", driver("one")));

    assertSame(registry.driver("one"), registry.driver("one"));
  }

  @Test
  void handsTheUriToTheDriver() {
    DriverRegistry registry = registry(jar("one.jar", driver("one"), driver("two")));

    assertEquals("device two://3?a=b", registry.openDevice("two://3?a=b").toString());
    HalException malformed = assertThrows(HalException.class, () -> registry.openDevice("two:3"));
    assertEquals(Status.INVALID_ARGUMENT, malformed.status());
  }

  /** Messages and thread dumps use these names, and users mistake them for URIs. */
  @Test
  void suggestsTheUriForADeviceNameFromAMessage() {
    DriverRegistry registry = registry(jar("one.jar", driver("one"), driver("two3")));

    for (String name : List.of("one-12", "one12", "one-12-q1", "one-12-group")) {
      HalException refused = assertThrows(HalException.class, () -> registry.openDevice(name));
      assertEquals(Status.NOT_FOUND, refused.status());
      assertEquals(
          "'" + name + "' is the name of a device in messages, not its URI; its URI is one://12",
          refused.getMessage());
    }
    assertEquals("device two3", registry.openDevice("two3").toString());
    HalException other = assertThrows(HalException.class, () -> registry.openDevice("two3-0"));
    assertContains("its URI is two3://0", other.getMessage());
    HalException unknown = assertThrows(HalException.class, () -> registry.openDevice("three-0"));
    assertContains("no driver 'three-0'; found: one, two3", unknown.getMessage());
  }

  @Test
  void printsTheLocationOfADriverAsAPath() {
    Path jar = jar("a folder/with ä+%20.jar", driver("one"));

    assertEquals(List.of(new Entry("one", jar.toString(), null)), registry(jar).entries());
  }

  @Test
  void explainsEachDriverIfTheWantedOneIsMissing() {
    Path old = jar("old.jar", driver("old").api("99.0"));
    DriverRegistry registry =
        registry(
            jar("good.jar", driver("good")),
            jar("absent.jar", driver("absent").unavailable("libabsent.so is in none of /a, /b")),
            old,
            jar("thrower.jar", driver("thrower").probing("throw new LinkageError(\"damaged\");")));

    HalException miss = assertThrows(HalException.class, () -> registry.openDevice("none://1"));

    assertEquals(Status.NOT_FOUND, miss.status());
    assertEquals(
        "no driver 'none'; found: absent (unavailable: libabsent.so is in none of /a, /b), good,"
            + " old (unavailable: made for API version 99.0, this JHAL has version "
            + DriverProvider.API_VERSION
            + "),"
            + " thrower (unavailable: java.lang.LinkageError: damaged)",
        miss.getMessage());
  }

  @Test
  void refusesAnotherVersionAndNamesBoth() {
    String api = "made for API version 99.0, this JHAL has version " + DriverProvider.API_VERSION;
    String spi = "made for SPI version 99.0, this JHAL has version " + DriverProvider.SPI_VERSION;
    DriverRegistry registry =
        registry(
            jar(
                "old.jar",
                driver("a").api("99.0"),
                driver("b").spi("99.0"),
                driver("c").api("99.0").spi("99.0"),
                driver("d")));

    assertEquals(
        Arrays.asList(api, spi, api + "; " + spi, null),
        registry.entries().stream().map(Entry::problem).toList());
    HalException refused = assertThrows(HalException.class, () -> registry.openDevice("a"));

    assertEquals(Status.FAILED_PRECONDITION, refused.status());
    assertEquals("driver 'a' cannot be used: " + api, refused.getMessage());
    assertNull(System.getProperty("jhal.test.a"), "the driver was made");
    assertEquals("device d", registry.openDefaultDevice().toString());
  }

  /** The versions are those that the driver was compiled against, not those that it runs with. */
  @Test
  void aDriverCarriesTheVersionsThatItWasCompiledAgainst() throws IOException {
    String declaration = "String SPI_VERSION = \"" + DriverProvider.SPI_VERSION + "\";";
    String newer = DriverProvider.SPI_VERSION + "7";
    String source = Files.readString(Path.of("src/main/java/org/jhal/spi/DriverProvider.java"));
    assertContains(declaration, source);
    Path newerApi = Files.createDirectory(folder.resolve("newer"));
    DriverJars.compile(
        newerApi,
        "DriverProvider",
        source.replace(declaration, "String SPI_VERSION = \"" + newer + "\";"));
    Path classes = Files.createDirectory(folder.resolve("classes"));
    DriverJars.compile(classes, "Provider", driver("one").text(), newerApi);
    Path services = classes.resolve("META-INF/services");
    Files.createDirectories(services);
    Files.writeString(services.resolve(DriverProvider.class.getName()), "drivers.one.Provider\n");

    assertEquals(
        "made for SPI version " + newer + ", this JHAL has version " + DriverProvider.SPI_VERSION,
        registry(classes).entries().get(0).problem());
  }

  @Test
  void refusesANameThatNoUriCanHave() {
    DriverRegistry registry = registry(jar("odd.jar", new Source("drivers.odd", "Odd Name")));

    assertEquals(
        "its name must be lower-case letters, digits and dashes, starting with a letter",
        registry.entries().get(0).problem());
  }

  @Test
  void namesBothJarsOfTwoDriversOfOneName() {
    Path first = jar("first.jar", new Source("drivers.first", "same"));
    Path second = jar("second.jar", new Source("drivers.second", "same"), driver("other"));

    checkDoubled(registry(first, second), first, second);
  }

  @Test
  void namesBothJarsOfOneDriverInTwoJars() {
    Path first = jar("same-1.0.jar", driver("same"));
    Path second = jar("same-1.1.jar", driver("same"), driver("other"));

    checkDoubled(registry(first, second), first, second);
  }

  private static void checkDoubled(DriverRegistry registry, Path first, Path second) {
    String problem = "there are 2 drivers of this name: in " + first + " and in " + second;
    List<Entry> same = registry.entries().stream().filter(e -> e.name().equals("same")).toList();

    assertTrue(!same.isEmpty(), "the doubled driver is listed");
    same.forEach(entry -> assertEquals(problem, entry.problem()));
    HalException refused = assertThrows(HalException.class, () -> registry.openDevice("same"));
    assertEquals(Status.FAILED_PRECONDITION, refused.status());
    assertEquals("driver 'same' cannot be used: " + problem, refused.getMessage());
    assertEquals("device other", registry.openDevice("other").toString());
    assertEquals("device other", registry.openDefaultDevice().toString());
  }

  @Test
  void listsTheDriverOfARepeatedJarOnce() {
    Path jar = jar("one.jar", driver("one"));

    assertEquals(List.of(new Entry("one", jar.toString(), null)), registry(jar, jar).entries());
  }

  @Test
  void aProviderWhoseClassIsMissingDoesNotAffectOthers() {
    Path broken =
        DriverJars.jar(folder.resolve("broken.jar"), List.of(), List.of("drivers.gone.Provider"));

    checkBroken(broken, "?", "unknown", "drivers.gone.Provider not found");
  }

  @Test
  void aProviderThatCannotBeLinkedDoesNotAffectOthers() {
    Path broken =
        DriverJars.jar(
            folder.resolve("broken.jar"),
            List.of(driver("broken").withBase()),
            "drivers/broken/Base.class");

    checkBroken(broken, "?", "unknown", "NoClassDefFoundError: drivers/broken/Base");
  }

  @Test
  void aMalformedServiceFileDoesNotAffectOthers() {
    Path broken =
        DriverJars.jar(folder.resolve("broken.jar"), List.of(), List.of("this is no class"));

    checkBroken(broken, "?", "unknown", "Illegal");
  }

  @Test
  void aClassThatIsNoProviderDoesNotAffectOthers() {
    Path broken =
        DriverJars.jar(
            folder.resolve("broken.jar"),
            List.of(driver("broken")),
            List.of("drivers.broken.Provider$TheDriver"));

    checkBroken(broken, "?", "unknown", "not a subtype");
  }

  @Test
  void aProviderWhoseConstructorThrowsDoesNotAffectOthers() {
    Path broken =
        jar(
            "broken.jar",
            driver("broken")
                .construction("if (true) throw new IllegalStateException(\"no\\nluck\");"));

    checkBroken(
        broken,
        "drivers.broken.Provider",
        broken.toString(),
        "caused by java.lang.IllegalStateException: no luck");
  }

  @Test
  void aProviderWhoseInitialiserThrowsDoesNotAffectOthers() {
    Path broken =
        jar("broken.jar", driver("broken").member("static int i = Integer.parseInt(\"x\");"));

    checkBroken(
        broken,
        "drivers.broken.Provider",
        broken.toString(),
        "caused by java.lang.NumberFormatException: For input string: \"x\"");
  }

  @Test
  void aProviderWhoseNameThrowsDoesNotAffectOthers() {
    Path broken =
        jar("broken.jar", driver("broken").naming("throw new AssertionError(\"bad name\");"));

    checkBroken(
        broken, "drivers.broken.Provider", broken.toString(), "java.lang.AssertionError: bad name");
  }

  @Test
  void aProviderWithoutANameDoesNotAffectOthers() {
    Path broken = jar("broken.jar", driver("broken").naming("return null;"));

    checkBroken(broken, "drivers.broken.Provider", broken.toString(), "name of the provider");
  }

  private void checkBroken(Path broken, String name, String location, String why) {
    for (DriverRegistry registry :
        List.of(
            registry(broken, jar("good.jar", driver("good"))),
            registry(jar("good.jar", driver("good")), broken))) {
      assertEquals(2, registry.entries().size());
      Entry entry = registry.entries().get(1);
      assertEquals(name, entry.name());
      assertEquals(location, entry.location());
      String problem = entry.problem();
      assertNotNull(problem);
      assertTrue(problem.startsWith("cannot be loaded: "), problem);
      assertContains(why, problem);
      assertTrue(problem.indexOf('\n') < 0, "the problem is one line");

      assertEquals("device good", registry.openDevice("good").toString());
      assertEquals("device good", registry.openDefaultDevice().toString());
      HalException miss = assertThrows(HalException.class, () -> registry.driver("broken"));
      assertEquals(Status.NOT_FOUND, miss.status());
      assertContains(why, miss.getMessage());
    }
  }

  @Test
  void aDriverWhoseCreationThrowsIsUnavailable() {
    DriverRegistry registry =
        registry(
            jar("bad.jar", driver("bad").creation("throw new UnsatisfiedLinkError(\"no lib\");")),
            jar("worse.jar", driver("worse").creation("return null;")),
            jar("z-good.jar", driver("z-good")));

    HalException refused = assertThrows(HalException.class, () -> registry.openDevice("bad"));
    HalException none = assertThrows(HalException.class, () -> registry.openDevice("worse"));

    assertEquals(Status.UNAVAILABLE, refused.status());
    assertContains("driver 'bad' of " + folder.resolve("bad.jar"), refused.getMessage());
    assertContains("no lib", refused.getMessage());
    assertSame(UnsatisfiedLinkError.class, assertNotNullCause(refused).getClass());
    assertEquals(Status.UNAVAILABLE, none.status());
    assertEquals("device z-good", registry.openDefaultDevice().toString());
  }

  private static Throwable assertNotNullCause(HalException thrown) {
    Throwable cause = thrown.getCause();
    if (cause == null) {
      throw new AssertionError("no cause", thrown);
    }
    return cause;
  }

  @Test
  void opensTheFirstUsableDriverByDefault() {
    Path host = jar("host.jar", driver("aa-host").preference(0));
    Path absent = jar("absent.jar", driver("absent").unavailable("no device"));
    Path failing =
        jar(
            "failing.jar",
            driver("failing").opening("throw new UnsatisfiedLinkError(\"half a library\");"),
            driver("lost").opening("throw new HalException(Status.UNAVAILABLE, \"gone\");"));
    Path good = jar("good.jar", driver("zz-good"));

    assertEquals(
        "device zz-good", registry(host, absent, failing, good).openDefaultDevice().toString());
    assertEquals("device aa-host", registry(host, absent, failing).openDefaultDevice().toString());
    HalException none =
        assertThrows(HalException.class, () -> registry(absent, failing).openDefaultDevice());

    assertEquals(Status.NOT_FOUND, none.status());
    assertEquals(
        "no usable device; absent: no device; failing: java.lang.UnsatisfiedLinkError: half a"
            + " library; lost: UNAVAILABLE: gone",
        none.getMessage());
  }

  @Test
  void excludesDriversByNameOrForComputingOnTheHost() {
    Path host = jar("host.jar", driver("aa-host").preference(0));
    Path absent = jar("absent.jar", driver("absent").unavailable("no device"));
    Path good = jar("good.jar", driver("good"), driver("zz-good"));
    Thread.currentThread().setContextClassLoader(loader(host, absent, good));

    assertEquals("device zz-good", Hal.openDevice("!good").toString());
    assertEquals("device aa-host", Hal.openDevice("!good,!zz-good").toString());
    System.setProperty(Hal.DEVICE_PROPERTY, "!good,!absent");
    assertEquals("device zz-good", Hal.openDevice().toString());
    assertEquals("device good", Hal.openAccelerator().toString());

    Thread.currentThread().setContextClassLoader(loader(host, absent));
    HalException none = assertThrows(HalException.class, Hal::openAccelerator);
    assertEquals(Status.NOT_FOUND, none.status());
    assertEquals(
        "no usable device; absent: no device; aa-host: it computes on the host, and an accelerator"
            + " is wanted",
        none.getMessage());
    for (String malformed : List.of("!", "!a,", "!a,b", "!a!b", "!A", "!a://1")) {
      HalException refused = assertThrows(HalException.class, () -> Hal.openDevice(malformed));
      assertEquals(Status.INVALID_ARGUMENT, refused.status(), malformed);
      assertContains("device '" + malformed + "'", refused.getMessage());
    }
  }

  /** A typo would exclude nothing, and so open the very device that is not wanted. */
  @Test
  void refusesToExcludeAnUnknownDriver() {
    Path good = jar("good.jar", driver("good"));
    Path absent = jar("absent.jar", driver("absent").unavailable("no device"));
    Thread.currentThread().setContextClassLoader(loader(good, absent));
    for (String uri : List.of("!god", "!good,!god", "!god,!good")) {
      HalException refused = assertThrows(HalException.class, () -> Hal.openDevice(uri));
      assertEquals(Status.NOT_FOUND, refused.status(), uri);
      assertEquals(
          "no driver 'god' to exclude, did you mean 'good'?; found: absent (unavailable: no device), good",
          refused.getMessage());
    }
    System.setProperty(Hal.DEVICE_PROPERTY, "!god");
    assertContains(
        "the system property jhal.device names '!god': no driver 'god' to exclude",
        assertThrows(HalException.class, () -> Hal.openDevice()).getMessage());
  }

  /** A runtime may have hardware and software devices, in any order. */
  @Test
  void prefersHardwareAmongTheDevicesOfADriver() {
    Path host = jar("host.jar", driver("mm-host").preference(0).listing(devices("sw-1")));
    Path both = jar("both.jar", driver("both").listing(devices("sw-1", "GPU-1", "GPU-2")));
    Path last = jar("last.jar", driver("test").preference(-1));
    Path aSoftware = jar("a.jar", driver("aa-software").listing(devices("sw-1", "sw-2")));
    Path zSoftware = jar("z.jar", driver("zz-software").listing(devices("sw-1", "sw-2")));
    DriverRegistry all = registry(host, both, last, aSoftware, zSoftware);
    assertEquals("device both://1", all.openDefaultDevice().toString());
    assertEquals("device both://1", all.openAccelerator().toString());

    DriverRegistry none = registry(host, last, zSoftware);
    assertEquals("device mm-host", none.openDefaultDevice().toString());
    assertEquals(
        "no usable device; mm-host: it computes on the host, and an accelerator is wanted;"
            + " zz-software: its devices compute on the host, and an accelerator is wanted; test: it"
            + " computes on the host, and an accelerator is wanted",
        assertThrows(HalException.class, none::openAccelerator).getMessage());
    assertEquals(
        "device aa-software", registry(host, last, aSoftware).openDefaultDevice().toString());
    assertEquals("device zz-software", registry(last, zSoftware).openDefaultDevice().toString());
  }

  /**
   * Statements that list devices with these uuids; one that begins with sw- computes on the host.
   */
  private static String devices(String... uuids) {
    StringBuilder text = new StringBuilder("List<DeviceInfo> all = new ArrayList<>(); ");
    for (String uuid : uuids) {
      text.append("all.add(DeviceInfo.builder(NAME, all.size()).name(NAME).uuid(\"")
          .append(uuid)
          .append("\").memoryBytes(1).maxWorkgroupCount(new Workgroups(1, 1, 1))")
          .append(
              ".maxWorkgroupItems(1).computesOnHost(" + uuid.startsWith("sw-") + ").build()); ");
    }
    return text + "return all;";
  }

  /** Rule D3: a URI that names a device in one process names it in every other one. */
  @Test
  void returnsAddressesOfAllAcceleratorsOrOfNamedDrivers() throws Exception {
    DriverRegistry registry =
        registry(
            jar("host.jar", driver("aa-host").preference(0).listing(devices("cpu-1", "cpu-2"))),
            jar("absent.jar", driver("absent").unavailable("no library")),
            jar("broken.jar", driver("broken").construction("if (true) throw new Error(\"old\");")),
            jar("empty.jar", driver("empty").listing(devices())),
            jar("software.jar", driver("software").listing(devices("sw-1"))),
            jar("good.jar", driver("good").listing(devices("sw-1", "GPU-7", "GPU-3"))));
    Duration patience = Duration.ofSeconds(30);
    for (String blank : List.of("", " ")) {
      Addresses all = registry.addresses(blank, patience);
      assertEquals("[good://GPU-7, good://GPU-3]", all.uris().toString());
      assertEquals(4, all.reasons().size(), all::toString);
      assertContains("absent: no library", all.reasons().toString());
      assertContains("empty: no device, fine", all.reasons().toString());
      assertContains("software: its devices compute on the host, fine", all.reasons().toString());
      assertContains("drivers.broken.Provider: cannot be loaded", all.reasons().toString());
    }
    Addresses named = registry.addresses("aa-host://?a=1&b=%26, good", patience);
    assertEquals(
        "[aa-host://cpu-1?a=1&b=%26, aa-host://cpu-2?a=1&b=%26, good://sw-1, good://GPU-7,"
            + " good://GPU-3]",
        named.uris().toString());
    assertEquals(List.of(), named.reasons());

    refusesAddresses(registry, Status.INVALID_ARGUMENT, "good://1", "'good://1' names a device");
    refusesAddresses(registry, Status.INVALID_ARGUMENT, "good,", "malformed device URI ''");
    refusesAddresses(registry, Status.INVALID_ARGUMENT, "good?a=1", "expected DRIVER");
    refusesAddresses(registry, Status.NOT_FOUND, "god", "no driver 'god', did you mean 'good'?;");
  }

  /** Two drivers for the same hardware, such as that of a vendor and that of a standard. */
  @Test
  void aDeviceOfTwoDriversHasOneAddress() throws Exception {
    DriverRegistry registry =
        registry(
            jar("vendor.jar", driver("vendor").preference(9).listing(devices("GPU-A", "GPU-b"))),
            jar("other.jar", driver("other").preference(8).listing(devices("gpu-a", "GPU-c"))));
    assertEquals(
        "[vendor://GPU-A, vendor://GPU-b, other://GPU-c]",
        registry.addresses("", Duration.ofSeconds(30)).uris().toString());
  }

  @Test
  void theDefaultAmongAnswersIsThatWhichIsOpened() throws Exception {
    Path host = jar("mm.jar", driver("mm-host").preference(0).listing(devices("sw-1")));
    Path software = jar("zz.jar", driver("zz-both").preference(9).listing(devices("sw-2")));
    Path both = jar("yy.jar", driver("yy-both").preference(8).listing(devices("sw-3", "GPU-4")));
    assertEquals("Optional[yy-both://1]", defaultOf(registry(host, software, both)));
    assertEquals("Optional[mm-host://0]", defaultOf(registry(host, software)));
    assertEquals("Optional[zz-both://0]", defaultOf(registry(software)));
    assertEquals(
        "Optional.empty", defaultOf(registry(jar("none.jar", driver("none").unavailable("no")))));
  }

  private static String defaultOf(DriverRegistry registry) throws InterruptedException {
    return registry
        .defaultAmong(registry.probeAll(Duration.ofSeconds(30)))
        .map(DeviceInfo::uri)
        .toString();
  }

  private static void refusesAddresses(
      DriverRegistry registry, Status status, String drivers, String why) {
    HalException refused =
        assertThrows(HalException.class, () -> registry.addresses(drivers, Duration.ofSeconds(30)));
    assertEquals(status, refused.status(), refused::toString);
    assertContains(why, refused.getMessage());
  }

  /** A driver that cannot be loaded has no preference, so it may be one for an accelerator. */
  @Test
  void openAcceleratorReportsDriversThatCannotBeLoaded() {
    Path host = jar("host.jar", driver("host").preference(0));
    Path broken =
        jar("broken.jar", driver("broken").construction("if (true) throw new Error(\"old\");"));
    HalException none =
        assertThrows(HalException.class, () -> registry(host, broken).openAccelerator());
    assertEquals(Status.NOT_FOUND, none.status());
    assertContains("host: it computes on the host", none.getMessage());
    assertContains("drivers.broken.Provider: cannot be loaded: ", none.getMessage());
  }

  @Test
  void halOpensDriversOfTheContextClassLoader() {
    Thread.currentThread()
        .setContextClassLoader(loader(jar("one.jar", driver("one"), driver("two"))));

    assertEquals("device two://7", Hal.openDevice("two://7").toString());
    assertEquals("device one", Hal.openDevice().toString());
    System.setProperty(Hal.DEVICE_PROPERTY, "two://8");
    assertEquals("device two://8", Hal.openDevice().toString());
    System.setProperty(Hal.DEVICE_PROPERTY, "");
    assertEquals("device one", Hal.openDevice().toString());
    assertEquals(Optional.empty(), Hal.configuredDevice());
    System.setProperty(Hal.DEVICE_PROPERTY, "three");
    assertEquals(Optional.of("three"), Hal.configuredDevice());
    assertEquals(
        Status.NOT_FOUND, assertThrows(HalException.class, () -> Hal.openDevice()).status());
    Thread.currentThread().setContextClassLoader(null);
    assertContains(
        "no driver 'three'", assertThrows(HalException.class, () -> Hal.openDevice()).getMessage());
  }

  @Test
  void thePropertyOverridesTheEnvironmentForTheDefaultDevice() throws Exception {
    Path jar = jar("one.jar", driver("one"), driver("two"), driver("three"));
    Path classes = Files.createDirectory(folder.resolve("main"));
    DriverJars.compile(
        classes,
        "Main",
        "public class Main { public static void main(String[] a) {"
            + " System.out.print(org.jhal.Hal.openDevice()); } }");

    assertEquals("device two://1", child(jar, classes, "two://1"));
    String chosen = child(jar, classes, "");
    assertTrue(chosen.endsWith("device one"), chosen);
    assertContains("INFO: the default device is device one", chosen);
    assertEquals("device three", child(jar, classes, "two://1", "-Djhal.device=three"));
    assertContains(
        "the environment variable JHAL_DEVICE names 'four': no driver 'four'",
        child(jar, classes, "four"));
    assertContains(
        "the system property jhal.device names 'four': no driver 'four'",
        child(jar, classes, "two", "-Djhal.device=four"));
  }

  @Test
  void reportsDamagedJarsOfTheClassPath() throws IOException {
    Path good = jar("good.jar", driver("good"));
    Path damaged = Files.writeString(folder.resolve("damaged.jar"), "no zip");
    Path empty = Files.createFile(folder.resolve("empty.jar"));
    String classPath =
        String.join(
            File.pathSeparator,
            List.of("", good.toString(), damaged.toString(), "no.jar", "" + folder, "" + empty));

    List<Entry> entries = DriverSearch.damagedJars(classPath);

    assertEquals(List.of("damaged.jar", "empty.jar"), entries.stream().map(Entry::name).toList());
    assertEquals(damaged.toString(), entries.get(0).location());
    assertContains("the jar cannot be read: ", String.valueOf(entries.get(0).problem()));
  }

  /** Returns the output of a separate JVM that opens the default device. */
  private String child(Path jar, Path classes, String variable, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(options));
    command.add("-cp");
    command.add(DriverJars.API + File.pathSeparator + jar + File.pathSeparator + classes);
    command.add("Main");
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(Map.of(Hal.DEVICE_VARIABLE, variable));
    Process process = builder.start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the JVM that opens a device has not ended after 60 s");
    }
    return Files.readString(output, StandardCharsets.UTF_8);
  }
}
