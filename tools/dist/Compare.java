// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Compares two folders byte by byte: {@code java Compare.java FIRST SECOND}. Leaves out signatures,
 * which differ each time, and checksums. Of jars that differ it also prints the entries. Exits with
 * 1 if anything differs.
 */
final class Compare {
  private final List<String> findings = new ArrayList<>();
  private int files;

  private Compare() {}

  public static void main(String[] args) throws IOException {
    Compare compare = new Compare();
    compare.folders(Path.of(args[0]), Path.of(args[1]));
    compare.findings.forEach(System.err::println);
    if (!compare.findings.isEmpty()) {
      System.err.println("compare: " + compare.findings.size() + " findings in " + args[0]);
      System.exit(1);
    }
    System.out.println("compare: " + compare.files + " files are the same in " + args[0]);
  }

  private void folders(Path first, Path second) throws IOException {
    TreeSet<String> names = new TreeSet<>(names(first));
    names.addAll(names(second));
    for (String name : names) {
      files++;
      Path one = first.resolve(name);
      Path other = second.resolve(name);
      if (!Files.exists(one) || !Files.exists(other)) {
        findings.add(name + " is only in " + (Files.exists(one) ? first : second));
      } else if (Files.mismatch(one, other) != -1) {
        findings.add(name + " differs from byte " + Files.mismatch(one, other) + " on");
        if (name.endsWith(".jar")) {
          jars(one, other);
        }
      }
    }
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .filter(name -> !name.matches(".*\\.(asc|md5|sha1)"))
          .toList();
    }
  }

  private void jars(Path first, Path second) throws IOException {
    int start = findings.size();
    try (ZipFile one = new ZipFile(first.toFile());
        ZipFile other = new ZipFile(second.toFile())) {
      List<String> entries = one.stream().map(ZipEntry::getName).toList();
      List<String> others = other.stream().map(ZipEntry::getName).toList();
      TreeSet<String> all = new TreeSet<>(entries);
      all.addAll(others);
      for (String entry : all) {
        int before = findings.size();
        ZipEntry its = one.getEntry(entry);
        ZipEntry itsOther = other.getEntry(entry);
        if (its == null || itsOther == null) {
          findings.add("  " + entry + " is only in the " + (its == null ? "second" : "first"));
          continue;
        }
        if (!Arrays.equals(
            one.getInputStream(its).readAllBytes(),
            other.getInputStream(itsOther).readAllBytes())) {
          findings.add("  " + entry + ": content");
        }
        if (!its.getTimeLocal().equals(itsOther.getTimeLocal())) {
          findings.add(
              "  " + entry + ": time " + its.getTimeLocal() + " and " + itsOther.getTimeLocal());
        }
        if (findings.size() == before && !Arrays.equals(its.getExtra(), itsOther.getExtra())) {
          findings.add("  " + entry + ": extra fields, such as modes");
        }
      }
      if (!entries.equals(others)) {
        findings.add("  the order of the entries, or their number");
      }
      if (findings.size() == start) {
        findings.add("  only modes of entries, or how they are packed");
      }
    }
  }
}
