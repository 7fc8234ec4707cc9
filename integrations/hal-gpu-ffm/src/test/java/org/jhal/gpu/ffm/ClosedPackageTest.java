// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.ffm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.objectweb.asm.Opcodes.ACC_ABSTRACT;
import static org.objectweb.asm.Opcodes.ACC_INTERFACE;
import static org.objectweb.asm.Opcodes.ACC_MANDATED;
import static org.objectweb.asm.Opcodes.ACC_MODULE;
import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ACC_SUPER;
import static org.objectweb.asm.Opcodes.ARETURN;
import static org.objectweb.asm.Opcodes.INVOKESTATIC;
import static org.objectweb.asm.Opcodes.V17;

import com.sun.jna.Platform;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.jhal.gpu.natives.SharedLibrary;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.ModuleVisitor;
import org.objectweb.asm.Type;

/** A table in a package that its module does not export, as those of drivers are. */
class ClosedPackageTest {
  private static final String MODULE = "tables";
  private static final String TABLE = "tables/closed/Table";
  private static final String DOOR = "tables/open/Door";
  private static final String HANDLES = Type.getInternalName(MethodHandles.class);
  private static final MethodType LOOKUP = MethodType.methodType(MethodHandles.Lookup.class);

  @TempDir Path folder;

  @Test
  void aLookupInThePackageIsEnough() throws Throwable {
    ClassLoader loader = module();
    MethodHandles.Lookup lookup =
        (MethodHandles.Lookup)
            loader.loadClass(DOOR.replace('/', '.')).getMethod("lookup").invoke(null);
    Class<?> table = loader.loadClass(TABLE.replace('/', '.'));
    assertFalse(table.getModule().isExported(table.getPackageName(), FfmBinding.class.getModule()));
    Object bound =
        new FfmBinding().bind(lookup, table, SharedLibrary.open(Platform.C_LIBRARY_NAME)::address);
    Object result =
        lookup
            .findVirtual(table, "abs", MethodType.methodType(int.class, int.class))
            .invoke(bound, -7);
    assertEquals(7, result);
  }

  /** A module with the table and, in an exported package, a method that returns a lookup for it. */
  private ClassLoader module() throws IOException {
    write("module-info", moduleInfo());
    write(TABLE, table());
    write(DOOR, door());
    Configuration configuration =
        ModuleLayer.boot()
            .configuration()
            .resolve(ModuleFinder.of(folder), ModuleFinder.of(), Set.of(MODULE));
    return ModuleLayer.boot()
        .defineModulesWithOneLoader(configuration, ClassLoader.getSystemClassLoader())
        .findLoader(MODULE);
  }

  private void write(String name, ClassWriter made) throws IOException {
    Path file = folder.resolve(name + ".class");
    Files.createDirectories(file.resolveSibling(""));
    Files.write(file, made.toByteArray());
  }

  private static ClassWriter moduleInfo() {
    ClassWriter made = new ClassWriter(0);
    made.visit(V17, ACC_MODULE, "module-info", null, null, null);
    ModuleVisitor module = made.visitModule(MODULE, 0, null);
    module.visitRequire("java.base", ACC_MANDATED, null);
    module.visitExport("tables/open", 0);
    module.visitEnd();
    made.visitEnd();
    return made;
  }

  private static ClassWriter table() {
    ClassWriter made = new ClassWriter(0);
    made.visit(V17, ACC_ABSTRACT | ACC_INTERFACE, TABLE, null, "java/lang/Object", null);
    made.visitMethod(ACC_PUBLIC | ACC_ABSTRACT, "abs", "(I)I", null, null).visitEnd();
    made.visitEnd();
    return made;
  }

  private static ClassWriter door() {
    ClassWriter made = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    made.visit(V17, ACC_PUBLIC | ACC_SUPER, DOOR, null, "java/lang/Object", null);
    String type = LOOKUP.toMethodDescriptorString();
    MethodVisitor code = made.visitMethod(ACC_PUBLIC | ACC_STATIC, "lookup", type, null, null);
    code.visitCode();
    // return MethodHandles.privateLookupIn(Class.forName(TABLE), MethodHandles.lookup());
    code.visitLdcInsn(TABLE.replace('/', '.'));
    code.visitMethodInsn(
        INVOKESTATIC, "java/lang/Class", "forName", "(Ljava/lang/String;)Ljava/lang/Class;", false);
    code.visitMethodInsn(INVOKESTATIC, HANDLES, "lookup", type, false);
    code.visitMethodInsn(
        INVOKESTATIC,
        HANDLES,
        "privateLookupIn",
        LOOKUP
            .appendParameterTypes(Class.class, MethodHandles.Lookup.class)
            .toMethodDescriptorString(),
        false);
    code.visitInsn(ARETURN);
    code.visitMaxs(0, 0); // computed
    code.visitEnd();
    made.visitEnd();
    return made;
  }
}
