// SPDX-License-Identifier: Apache-2.0
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * Describes what a kit contains: {@code java -cp GSON KitContents.java KIT}. Run by the JDK whose
 * jlink made {@code KIT/runtime}. Reads {@code KIT/dist/sbom.json}, which Maven made of the
 * dependencies, and the licence texts in {@code KIT/licenses}. Writes {@code KIT/sbom.json}, which
 * has the Java runtime and the hashes of the jars as they are in the kit, and {@code
 * KIT/THIRD-PARTY.md}.
 *
 * <p>Exits with 1, and prints why, unless the jars of {@code dist} are exactly those in the list,
 * and each of other projects has a licence whose text is there. The text is {@code
 * LICENCE-ARTIFACT.txt} for a licence that names its holder, and otherwise {@code LICENCE.txt}. Of
 * several licences that a project offers, those with a text are used.
 */
final class KitContents {
  private static final String OURS = "org.jhal";
  private static final String GPL = "GPL-2.0-with-classpath-exception";

  /** Licences whose POMs have a name that CycloneDX does not know. */
  private static final Map<String, String> NAMES =
      Map.of("GNU General Public License (GPL), version 2, with the Classpath exception", GPL);

  /** What else is in a jar, and whose licence that has. */
  private static final Map<String, String> NOTES =
      Map.of(
          "jcuda", "its native library is in the jar of driver-cuda",
          "jna", "contains libffi: [MIT](licenses/MIT-libffi.txt)",
          "junit-jupiter-params", "contains univocity-parsers: Apache-2.0");

  private final Path kit;
  private final List<String> findings = new ArrayList<>();
  private final StringBuilder table = new StringBuilder();

  private KitContents(Path kit) {
    this.kit = kit;
  }

  public static void main(String[] args) throws Exception {
    KitContents contents = new KitContents(Path.of(args[0]));
    contents.describe();
    contents.findings.forEach(System.err::println);
    if (!contents.findings.isEmpty()) {
      System.exit(1);
    }
  }

  private void describe() throws Exception {
    Path source = kit.resolve("dist/sbom.json");
    JsonObject bom = JsonParser.parseString(Files.readString(source)).getAsJsonObject();
    JsonObject product = bom.getAsJsonObject("metadata").getAsJsonObject("component");
    product.addProperty("name", "jhal-kit");
    product.addProperty("description", "JHAL with a Java runtime, for one kind of machine.");
    product.remove("purl");
    JsonArray components = bom.getAsJsonArray("components");
    Map<String, Path> jars = jars("dist");
    for (JsonElement element : components) {
      JsonObject component = element.getAsJsonObject();
      String file = fileName(component);
      Path jar = jars.remove(file);
      if (jar == null) {
        findings.add("sbom.json lists " + file + ", which is not in the kit");
      } else {
        component(component, jar);
      }
    }
    jars.values().forEach(jar -> findings.add(jar + " is in no dependency of the distribution"));
    Map<String, Path> drivers = jars("drivers");
    for (Map.Entry<String, Path> driver : drivers.entrySet()) {
      components.add(unknown(driver.getKey(), driver.getValue()));
    }
    JsonObject runtime = runtime();
    components.add(runtime);
    String kitItself = text(product, "bom-ref");
    for (JsonElement element : bom.getAsJsonArray("dependencies")) {
      if (text(element.getAsJsonObject(), "ref").equals(kitItself)) {
        element.getAsJsonObject().getAsJsonArray("dependsOn").add(text(runtime, "bom-ref"));
      }
    }
    // Of its content, as that of Maven is.
    bom.remove("serialNumber");
    String id =
        UUID.nameUUIDFromBytes(new Gson().toJson(bom).getBytes(StandardCharsets.UTF_8)) + "";
    bom.addProperty("serialNumber", "urn:uuid:" + id);
    Gson gson = new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();
    Files.writeString(kit.resolve("sbom.json"), gson.toJson(bom) + "\n");
    Files.delete(source);
    Files.writeString(kit.resolve("THIRD-PARTY.md"), page(runtime, drivers.keySet()));
  }

  /** Jars in a folder and those below it, by file name. */
  private Map<String, Path> jars(String folder) throws IOException {
    Map<String, Path> jars = new TreeMap<>();
    Path top = kit.resolve(folder);
    if (Files.isDirectory(top)) {
      try (Stream<Path> files = Files.walk(top)) {
        files
            .filter(file -> file.toString().endsWith(".jar"))
            .forEach(file -> jars.put(file.getFileName().toString(), file));
      }
    }
    return jars;
  }

  private static String fileName(JsonObject component) {
    String purl = text(component, "purl");
    String classifier =
        purl.contains("classifier=") ? purl.replaceAll(".*classifier=([^&]*).*", "-$1") : "";
    return text(component, "name") + "-" + text(component, "version") + classifier + ".jar";
  }

  private static String text(JsonObject object, String name) {
    return object.has(name) ? object.get(name).getAsString() : "";
  }

  private void component(JsonObject component, Path jar) throws Exception {
    String original = "";
    for (JsonElement hash : component.getAsJsonArray("hashes")) {
      if (text(hash.getAsJsonObject(), "alg").equals("SHA-256")) {
        original = text(hash.getAsJsonObject(), "content");
      }
    }
    String actual = sha256(jar);
    String note = NOTES.getOrDefault(text(component, "name"), "");
    component.add("hashes", hashes(actual));
    if (!actual.equals(original)) {
      // Only a step of the build changes jars, and says so in the jar.
      String comment = comment(jar);
      if (comment.isEmpty()) {
        findings.add(
            jar + " has the SHA-256 " + actual + " and not " + original + ", as its dependency");
      }
      JsonObject pedigree = new JsonObject();
      JsonObject ancestor = new JsonObject();
      for (String name : List.of("type", "group", "name", "version", "purl")) {
        ancestor.addProperty(name, text(component, name));
      }
      ancestor.add("hashes", hashes(original));
      JsonArray ancestors = new JsonArray();
      ancestors.add(ancestor);
      pedigree.add("ancestors", ancestors);
      pedigree.addProperty("notes", comment);
      component.add("pedigree", pedigree);
      note = comment;
    }
    if (!text(component, "group").equals(OURS)) {
      thirdParty(component, jar, note);
    }
  }

  private static JsonArray hashes(String sha256) {
    JsonObject hash = new JsonObject();
    hash.addProperty("alg", "SHA-256");
    hash.addProperty("content", sha256);
    JsonArray hashes = new JsonArray();
    hashes.add(hash);
    return hashes;
  }

  private static String comment(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.getComment() == null ? "" : zip.getComment();
    }
  }

  private void thirdParty(JsonObject component, Path jar, String note) {
    String name = text(component, "name");
    Map<String, String> used = new LinkedHashMap<>();
    List<String> offered = new ArrayList<>();
    JsonElement licenses = component.get("licenses");
    for (JsonElement element : licenses == null ? new JsonArray() : licenses.getAsJsonArray()) {
      JsonObject license = element.getAsJsonObject().getAsJsonObject("license");
      if (license == null) {
        offered.add(text(element.getAsJsonObject(), "expression"));
        continue;
      }
      String named = NAMES.get(text(license, "name"));
      if (named != null) {
        license.remove("name");
        license.addProperty("id", named);
      }
      String id = license.has("id") ? text(license, "id") : text(license, "name");
      offered.add(id);
      for (String file : List.of(id + "-" + name + ".txt", id + ".txt")) {
        if (Files.isRegularFile(kit.resolve("licenses").resolve(file))) {
          used.putIfAbsent(id, file);
        }
      }
    }
    if (used.isEmpty()) {
      findings.add(
          jar + ": no text in licenses/ for its licence " + offered + "; see tools/dist/licenses");
    }
    List<String> links = new ArrayList<>();
    used.forEach((id, file) -> links.add("[" + id + "](licenses/" + file + ")"));
    String version = text(component, "version");
    table.append(
        "| [%s](%s) | %s | %s | %s | %s |\n"
            .formatted(
                name,
                website(component),
                version,
                String.join(", ", links),
                sources(component),
                note));
  }

  private static String website(JsonObject component) {
    JsonElement references = component.get("externalReferences");
    for (JsonElement one : references == null ? new JsonArray() : references.getAsJsonArray()) {
      if (text(one.getAsJsonObject(), "type").equals("website")) {
        return text(one.getAsJsonObject(), "url");
      }
    }
    return text(component, "purl");
  }

  private static String sources(JsonObject component) {
    String name = text(component, "name");
    String version = text(component, "version");
    String folder = text(component, "group").replace('.', '/') + "/" + name + "/" + version + "/";
    return "[sources](https://repo1.maven.org/maven2/%s%s-%s-sources.jar)"
        .formatted(folder, name, version);
  }

  /** A driver that whoever made this kit added. */
  private static JsonObject unknown(String file, Path jar) throws Exception {
    JsonObject component = new JsonObject();
    component.addProperty("type", "library");
    component.addProperty("name", file);
    component.add("hashes", hashes(sha256(jar)));
    return component;
  }

  private JsonObject runtime() throws IOException {
    Properties built = new Properties();
    try (InputStream file = Files.newInputStream(kit.resolve("runtime/release"))) {
      built.load(file);
    }
    String version = System.getProperty("java.runtime.version");
    JsonObject runtime = new JsonObject();
    runtime.addProperty("type", "platform");
    runtime.addProperty("bom-ref", "java-runtime");
    runtime.addProperty("publisher", System.getProperty("java.vendor"));
    runtime.addProperty("name", "Java runtime");
    runtime.addProperty("version", version);
    runtime.addProperty("description", System.getProperty("java.runtime.name") + ", made by jlink");
    Path licence = kit.resolve("runtime/legal/java.base/LICENSE");
    String terms = Files.exists(licence) ? Files.readString(licence) : "";
    if (terms.startsWith("The GNU General Public License (GPL)")
        && terms.contains("\"CLASSPATH\" EXCEPTION")) {
      JsonObject license = new JsonObject();
      license.addProperty("id", GPL);
      JsonObject choice = new JsonObject();
      choice.add("license", license);
      JsonArray licenses = new JsonArray();
      licenses.add(choice);
      runtime.add("licenses", licenses);
    } else {
      findings.add(
          licence
              + " is not the GPL 2 with the Classpath Exception; make the kit with a JDK that has"
              + " it");
    }
    JsonObject website = new JsonObject();
    website.addProperty("type", "website");
    website.addProperty("url", System.getProperty("java.vendor.url"));
    JsonArray references = new JsonArray();
    references.add(website);
    runtime.add("externalReferences", references);
    JsonArray modules = new JsonArray();
    for (String name : new TreeSet<>(List.of(unquoted(built, "MODULES").split(" ")))) {
      JsonObject module = new JsonObject();
      module.addProperty("type", "library");
      module.addProperty("name", name);
      module.addProperty("version", version);
      modules.add(module);
    }
    runtime.add("components", modules);
    return runtime;
  }

  private static String unquoted(Properties properties, String name) {
    return properties.getProperty(name, "").replace("\"", "");
  }

  private static String sha256(Path file) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private String page(JsonObject runtime, Set<String> drivers) throws IOException {
    Properties jdk = new Properties();
    Path release = Path.of(System.getProperty("java.home"), "release");
    if (Files.exists(release)) {
      try (InputStream file = Files.newInputStream(release)) {
        jdk.load(file);
      }
    }
    String repository = unquoted(jdk, "SOURCE_REPO");
    String sources =
        repository.isEmpty()
            ? "Its vendor provides the sources: <" + System.getProperty("java.vendor.url") + ">."
            : "Its sources: <"
                + repository
                + ">, revision `"
                + unquoted(jdk, "SOURCE").replaceAll("[ .]*:git:", "")
                + "`.";
    String own =
        drivers.isEmpty()
            ? ""
            : "\n## Additional drivers\n\nThose who made this kit added "
                + String.join(", ", drivers)
                + " in `drivers/`. Ask them for the licences.\n";
    return """
    # Third-party software

    JHAL itself has the licence [Apache-2.0](LICENSE). This kit also contains the jars below, in `dist/lib`, and a Java
    runtime. `sbom.json` lists all of it in the format CycloneDX, with the SHA-256 of each jar.

    | what | version | licence | sources | remarks |
    |---|---|---|---|---|
    %s
    Of the licences that a project offers, this table has those that apply to this kit. Jars contain further notices, in `META-INF`.

    ## Java runtime

    `runtime/` is the %s %s of %s, reduced by jlink to the modules that JHAL uses. Its licence is the GPL 2 with
    the Classpath Exception. The text, and the licences of the parts that it contains, are in `runtime/legal`. %s
    %s\
    """
        .formatted(
            table,
            System.getProperty("java.runtime.name"),
            text(runtime, "version"),
            text(runtime, "publisher"),
            sources,
            own);
  }
}
