// SPDX-License-Identifier: Apache-2.0
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collections;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/**
 * A step of the build: converts a jar from the class files of Java 5, which have no stack maps, to
 * those of Java 17. The JVM puts only the latter into an AOT cache, so that it does not verify them
 * at each start. ASM and the jar itself must be on the class path.
 */
final class StackMaps {
  private StackMaps() {}

  /**
   * Replaces the jar.
   *
   * @param args the path of the jar, which has no signature
   */
  public static void main(String[] args) throws IOException {
    Path path = Path.of(args[0]);
    Path converted = Path.of(path + ".new");
    try (JarFile jar = new JarFile(path.toFile());
        OutputStream file = Files.newOutputStream(converted);
        JarOutputStream out = new JarOutputStream(file)) {
      out.setComment("The classes of this jar were converted to Java 17 when JHAL was built.");
      for (JarEntry entry : Collections.list(jar.entries())) {
        byte[] bytes = jar.getInputStream(entry).readAllBytes();
        JarEntry copy = new JarEntry(entry.getName());
        copy.setTime(entry.getTime());
        out.putNextEntry(copy);
        out.write(isOldClass(entry) ? convert(bytes) : bytes);
      }
    }
    Files.move(converted, path, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Those of a multi-release jar for newer versions of Java have stack maps. */
  private static boolean isOldClass(JarEntry entry) {
    return entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/");
  }

  private static byte[] convert(byte[] bytes) {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES);
    ClassVisitor newer =
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public void visit(
              int version, int access, String name, String signature, String base, String[] types) {
            super.visit(Opcodes.V17, access, name, signature, base, types);
          }
        };
    new ClassReader(bytes).accept(newer, ClassReader.SKIP_FRAMES);
    return writer.toByteArray();
  }
}
