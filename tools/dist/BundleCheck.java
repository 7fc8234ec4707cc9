// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * Checks a repository for what Maven Central asks of a release: {@code java BundleCheck.java BOM
 * REPOSITORY}. BOM is the pom of hal-bom, which lists the modules that must be there. Needs gpg, with
 * the public key in its keyring. Prints each finding, and exits with 1 if there is any.
 */
final class BundleCheck {
  private static final List<String> METADATA =
      List.of("name", "description", "url", "licenses", "developers", "scm");
  private static final String GROUP = "org/jhal";

  private final List<String> findings = new ArrayList<>();
  private final Path folder;
  private int files;

  private BundleCheck(Path repository) {
    folder = repository.resolve(GROUP);
  }

  public static void main(String[] args) throws Exception {
    BundleCheck check = new BundleCheck(Path.of(args[1]));
    check.repository(listed(Path.of(args[0])));
    check.findings.forEach(System.err::println);
    if (!check.findings.isEmpty()) {
      System.err.println("bundle check: " + check.findings.size() + " findings");
      System.exit(1);
    }
    System.out.println("bundle check: " + check.files + " files, no findings");
  }

  /** The artifacts in the dependency management of hal-bom. */
  private static TreeSet<String> listed(Path bom) throws Exception {
    TreeSet<String> artifacts = new TreeSet<>();
    Element managed = child(child(parse(bom), "dependencyManagement"), "dependencies");
    for (Node node = managed.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element dependency) {
        artifacts.add(child(dependency, "artifactId").getTextContent());
      }
    }
    return artifacts;
  }

  private void repository(TreeSet<String> modules) throws Exception {
    TreeSet<String> expected = new TreeSet<>(modules);
    expected.addAll(List.of("jhal-parent", "hal-bom"));
    TreeSet<String> present = names(folder);
    if (!present.equals(expected)) {
      findings.add("artifacts: expected " + expected + ", found " + present);
    }
    TreeSet<String> versions = new TreeSet<>();
    for (String artifact : present) {
      versions.addAll(names(folder.resolve(artifact)));
    }
    if (versions.size() != 1 || versions.first().endsWith("-SNAPSHOT")) {
      findings.add("expected one version that is no snapshot, found " + versions);
      return;
    }
    for (String artifact : present) {
      artifact(artifact, versions.first(), modules);
    }
  }

  private void artifact(String artifact, String version, TreeSet<String> modules) throws Exception {
    Path place = folder.resolve(artifact).resolve(version);
    String stem = artifact + "-" + version;
    TreeSet<String> required = new TreeSet<>(List.of(stem + ".pom"));
    if (modules.contains(artifact)) {
      required.addAll(
          List.of(
              stem + ".jar",
              stem + "-sources.jar",
              stem + "-javadoc.jar",
              stem + "-cyclonedx.json"));
    }
    TreeSet<String> present = names(place);
    for (String name : required) {
      if (!present.contains(name)) {
        findings.add(place.resolve(name) + " is missing");
      }
    }
    for (String name : present) {
      files++;
      Path file = place.resolve(name);
      if (name.endsWith(".asc") || name.endsWith(".md5") || name.endsWith(".sha1")) {
        if (!present.contains(name.substring(0, name.lastIndexOf('.')))) {
          findings.add(file + " belongs to no file");
        }
        continue;
      }
      checksum(file, "md5", "MD5");
      checksum(file, "sha1", "SHA-1");
      signature(file);
      if (name.endsWith(".jar")) {
        jar(file);
      } else if (name.endsWith(".pom")) {
        pom(file, version, modules);
      }
    }
  }

  private void checksum(Path file, String ending, String algorithm) throws Exception {
    Path stored = Path.of(file + "." + ending);
    if (!Files.exists(stored)) {
      findings.add(stored + " is missing");
      return;
    }
    MessageDigest digest = MessageDigest.getInstance(algorithm);
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(java.io.OutputStream.nullOutputStream());
    }
    String actual = HexFormat.of().formatHex(digest.digest());
    if (!actual.equals(Files.readString(stored).strip())) {
      findings.add(stored + " is not the checksum of its file, " + actual);
    }
  }

  private void signature(Path file) throws Exception {
    Path signature = Path.of(file + ".asc");
    if (!Files.exists(signature)) {
      findings.add(signature + " is missing");
      return;
    }
    Process gpg =
        new ProcessBuilder("gpg", "--batch", "--verify", signature.toString(), file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(gpg.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    if (gpg.waitFor() != 0) {
      findings.add(signature + " does not verify: " + output.strip());
    }
  }

  private void jar(Path file) throws IOException {
    try (ZipFile zip = new ZipFile(file.toFile())) {
      if (file.toString().endsWith("-javadoc.jar") && zip.getEntry("index.html") == null) {
        findings.add(file + " has no index.html");
      }
      for (String name : List.of("META-INF/LICENSE", "META-INF/NOTICE")) {
        if (zip.getEntry(name) == null) {
          findings.add(file + " has no " + name);
        }
      }
    }
  }

  /**
   * Only the parent may provide what a pom lacks, apart from name and description. Only the parent
   * may name modules that are not published: it says the version of all, and needs none.
   */
  private void pom(Path file, String version, TreeSet<String> modules) throws Exception {
    if (Files.readString(file).contains("-SNAPSHOT")) {
      findings.add(file + " names a snapshot");
    }
    Element project = parse(file);
    Element parent = child(project, "parent");
    Element ancestor = null;
    if (parent != null) {
      Path above =
          folder.resolve("jhal-parent").resolve(version).resolve("jhal-parent-" + version + ".pom");
      ancestor = Files.exists(above) ? parse(above) : null;
    }
    for (String name : METADATA) {
      boolean own = name.equals("name") || name.equals("description");
      if (child(project, name) == null
          && (own || ancestor == null || child(ancestor, name) == null)) {
        findings.add(file + " has no <" + name + ">");
      }
    }
    NodeList dependencies = project.getElementsByTagName("dependency");
    for (int i = 0; i < dependencies.getLength(); i++) {
      Element dependency = (Element) dependencies.item(i);
      Element groupId = child(dependency, "groupId");
      if (groupId == null) { // of a plugin's configuration
        continue;
      }
      String group = groupId.getTextContent();
      String name = child(dependency, "artifactId").getTextContent();
      boolean isParent = file.getFileName().toString().startsWith("jhal-parent-");
      if (group.equals("org.jhal") && !modules.contains(name) && !isParent) {
        findings.add(file + " names " + name + ", which is not published");
      }
    }
    if (file.getFileName().toString().startsWith("hal-bom-") && parent != null) {
      findings.add(file + " has a parent, whose dependency management would be imported too");
    }
  }

  private static Element parse(Path file) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    return factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
  }

  private static Element child(Element parent, String name) {
    if (parent == null) {
      return null;
    }
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getTagName().equals(name)) {
        return element;
      }
    }
    return null;
  }

  private static TreeSet<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      TreeSet<String> names = new TreeSet<>();
      files.forEach(file -> names.add(file.getFileName().toString()));
      return names;
    }
  }
}
