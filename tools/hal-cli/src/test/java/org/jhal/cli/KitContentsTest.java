// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.spi.ToolProvider;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.cyclonedx.Version;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The step of {@code hal kit} that lists what a kit contains, on a kit with two jars. */
@Timeout(120)
class KitContentsTest {
  private static final Path LICENCE = Path.of("runtime/legal/java.base/LICENSE");

  @TempDir private static Path classes;
  @TempDir private Path kit;

  @BeforeAll
  static void compile() {
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    String path = System.getProperty("java.class.path");
    String step = "../dist/KitContents.java";
    assertEquals(0, javac.run(System.out, System.err, "-cp", path, "-d", classes.toString(), step));
  }

  @BeforeEach
  void makeKit() throws Exception {
    write("licenses/MIT-lib.txt", "MIT");
    write("runtime/release", "JAVA_VERSION=\"17\"\nMODULES=\"java.base jdk.jfr\"\n");
    write(LICENCE.toString(), "The GNU General Public License (GPL)\n\"CLASSPATH\" EXCEPTION\n");
    jar("dist/lib/lib-1.0.jar", "");
    jar("dist/drivers/driver-x-2.0-tests.jar", "");
    list("MIT", sha256("dist/lib/lib-1.0.jar"));
  }

  private void write(String file, String content) throws IOException {
    Files.createDirectories(kit.resolve(file).getParent());
    Files.writeString(kit.resolve(file), content);
  }

  private void jar(String file, String comment) throws IOException {
    Files.createDirectories(kit.resolve(file).getParent());
    try (OutputStream out = Files.newOutputStream(kit.resolve(file));
        ZipOutputStream zip = new ZipOutputStream(out)) {
      zip.setComment(comment);
      zip.putNextEntry(new ZipEntry(file));
    }
  }

  private String sha256(String file) throws Exception {
    byte[] bytes = Files.readAllBytes(kit.resolve(file));
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  /** What Maven lists: a jar of another project, and one of ours. */
  private void list(String licence, String sha256) throws Exception {
    String component =
        """
        {"type": "library", "bom-ref": "%6$s", "group": "%1$s", "name": "%2$s", "version": "%3$s",
         "hashes": [{"alg": "SHA-1", "content": "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
                    {"alg": "SHA-256", "content": "%4$s"}],
         "licenses": [{"license": {"id": "LGPL-2.1-only"}}, {"license": {"%7$s": "%5$s"}}],
         "purl": "%6$s",
         "externalReferences": [{"type": "website", "url": "https://lib.example"}]}
        """;
    String driver = "dist/drivers/driver-x-2.0-tests.jar";
    String kind = licence.contains(" ") ? "name" : "id";
    write(
        "dist/sbom.json",
        """
        {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
         "serialNumber": "urn:uuid:8b3f8e2c-6f7e-3b0a-9d0e-0123456789ab",
         "metadata": {"component": {"type": "application", "bom-ref": "kit", "group": "org.jhal",
                                    "name": "dist", "version": "2.0", "purl": "x"}},
         "components": [%s, %s], "dependencies": [{"ref": "kit", "dependsOn": []}]}
        """
            .formatted(
                String.format(
                    Locale.ROOT,
                    component,
                    "org.lib",
                    "lib",
                    "1.0",
                    sha256,
                    licence,
                    "pkg:maven/lib@1.0",
                    kind),
                String.format(
                    Locale.ROOT,
                    component,
                    "org.jhal",
                    "driver-x",
                    "2.0",
                    sha256(driver),
                    "Apache-2.0",
                    "pkg:maven/driver-x@2.0?classifier=tests&type=test-jar",
                    "id")));
  }

  private Outcome describe() throws Exception {
    String path = classes + File.pathSeparator + System.getProperty("java.class.path");
    return Outcome.java(classes, "-cp", path, "KitContents", kit.toString());
  }

  private void refuses(String reason) throws Exception {
    Outcome outcome = describe();
    assertEquals(1, outcome.exitCode(), outcome::toString);
    assertTrue(outcome.err().contains(reason), outcome::toString);
    assertEquals(1, outcome.err().lines().count(), outcome::toString);
  }

  private JsonObject component(String name) throws IOException {
    String sbom = Files.readString(kit.resolve("sbom.json"));
    for (JsonElement element :
        JsonParser.parseString(sbom).getAsJsonObject().getAsJsonArray("components")) {
      if (element.getAsJsonObject().get("name").getAsString().equals(name)) {
        return element.getAsJsonObject();
      }
    }
    throw new AssertionError("no " + name + " in " + sbom);
  }

  private static String hash(JsonObject component) {
    JsonElement hash = component.getAsJsonArray("hashes").get(0);
    return hash.getAsJsonObject().get("content").getAsString();
  }

  @Test
  void listsJarsAndTheJavaRuntime() throws Exception {
    describe().succeeded();
    assertEquals(sha256("dist/lib/lib-1.0.jar"), hash(component("lib")));
    assertEquals(sha256("dist/drivers/driver-x-2.0-tests.jar"), hash(component("driver-x")));
    JsonObject runtime = component("Java runtime");
    assertEquals(System.getProperty("java.vendor"), runtime.get("publisher").getAsString());
    String version = System.getProperty("java.runtime.version");
    assertEquals(version, runtime.get("version").getAsString());
    String modules = runtime.getAsJsonArray("components").toString();
    assertTrue(modules.contains("java.base") && modules.contains("jdk.jfr"), modules);
    assertFalse(Files.exists(kit.resolve("dist/sbom.json")));

    String page = Files.readString(kit.resolve("THIRD-PARTY.md"));
    String row = "| [lib](https://lib.example) | 1.0 | [MIT](licenses/MIT-lib.txt) |";
    assertTrue(page.contains(row), page);
    assertFalse(page.contains("LGPL") || page.contains("driver-x"), page);
    assertTrue(page.contains(version), page);
  }

  /** With all that may be in it: a changed jar, a licence that is renamed, and an added driver. */
  @Test
  void theListIsValidCycloneDx() throws Exception {
    String original = sha256("dist/lib/lib-1.0.jar");
    list("GNU General Public License (GPL), version 2, with the Classpath exception", original);
    write("licenses/GPL-2.0-with-classpath-exception-lib.txt", "GPL");
    jar("dist/lib/lib-1.0.jar", "Converted.");
    jar("drivers/mine.jar", "");
    assertEquals(List.of(), violations(kit.resolve("dist/sbom.json")), "what Maven lists");
    describe().succeeded();
    Path sbom = kit.resolve("sbom.json");
    assertEquals(List.of(), violations(sbom));
    assertTrue(component("lib").has("pedigree"), "what was changed");
    assertEquals(sha256("drivers/mine.jar"), hash(component("mine.jar")));

    String text = Files.readString(sbom);
    write("damaged.json", text.replace("\"SHA-256\"", "\"SHA-257\""));
    assertFalse(violations(kit.resolve("damaged.json")).isEmpty(), "nothing is checked");
  }

  /** How a file violates the schema of CycloneDX, which the library has; and names that clash. */
  private static List<String> violations(Path sbom) throws Exception {
    List<String> found = new ArrayList<>();
    String text = Files.readString(sbom);
    new org.cyclonedx.parsers.JsonParser()
        .validate(text, Version.VERSION_16)
        .forEach(each -> found.add(each.getMessage()));
    JsonObject bom = JsonParser.parseString(text).getAsJsonObject();
    Set<String> references = new HashSet<>();
    references.add(reference(bom.getAsJsonObject("metadata").getAsJsonObject("component")));
    for (JsonElement element : bom.getAsJsonArray("components")) {
      String reference = reference(element.getAsJsonObject());
      if (!reference.isEmpty() && !references.add(reference)) {
        found.add("two components are " + reference);
      }
    }
    for (JsonElement element : bom.getAsJsonArray("dependencies")) {
      for (JsonElement used : element.getAsJsonObject().getAsJsonArray("dependsOn")) {
        if (!references.contains(used.getAsString())) {
          found.add("there is no component " + used);
        }
      }
    }
    return found;
  }

  private static String reference(JsonObject component) {
    return component.has("bom-ref") ? component.get("bom-ref").getAsString() : "";
  }

  @Test
  void twoRunsWriteTheSame() throws Exception {
    describe().succeeded();
    String first = Files.readString(kit.resolve("sbom.json"));
    list("MIT", sha256("dist/lib/lib-1.0.jar"));
    describe().succeeded();
    assertEquals(first, Files.readString(kit.resolve("sbom.json")));
  }

  @Test
  void aLicenceWithoutATextIsRefused() throws Exception {
    list("SSPL-1.0", sha256("dist/lib/lib-1.0.jar"));
    refuses("no text in licenses/ for its licence [LGPL-2.1-only, SSPL-1.0]");
  }

  @Test
  void aJavaRuntimeUnderAnotherLicenceIsRefused() throws Exception {
    write(LICENCE.toString(), "For evaluation only");
    refuses("is not the GPL 2 with the Classpath Exception");
  }

  @Test
  void aJarThatNoDependencyBroughtIsRefused() throws Exception {
    jar("dist/lib/stray.jar", "");
    refuses("stray.jar is in no dependency");
  }

  @Test
  void aMissingJarIsRefused() throws Exception {
    Files.delete(kit.resolve("dist/drivers/driver-x-2.0-tests.jar"));
    refuses("driver-x-2.0-tests.jar, which is not in the kit");
  }

  @Test
  void aChangedJarIsRefusedUnlessItSaysSo() throws Exception {
    String original = sha256("dist/lib/lib-1.0.jar");
    jar("dist/lib/lib-1.0.jar", "Converted.");
    describe().succeeded();
    JsonObject pedigree = component("lib").getAsJsonObject("pedigree");
    assertEquals("Converted.", pedigree.get("notes").getAsString());
    assertEquals(original, hash(pedigree.getAsJsonArray("ancestors").get(0).getAsJsonObject()));
    assertEquals(sha256("dist/lib/lib-1.0.jar"), hash(component("lib")));

    list("MIT", original.replace('a', 'b').replace('0', '1'));
    jar("dist/lib/lib-1.0.jar", "");
    refuses("lib-1.0.jar has the SHA-256");
  }

  @Test
  void driversThatWereAddedAreListedWithoutALicence() throws Exception {
    jar("drivers/mine.jar", "");
    describe().succeeded();
    assertEquals(sha256("drivers/mine.jar"), hash(component("mine.jar")));
    String page = Files.readString(kit.resolve("THIRD-PARTY.md"));
    assertTrue(page.contains("added mine.jar"), page);
  }
}
