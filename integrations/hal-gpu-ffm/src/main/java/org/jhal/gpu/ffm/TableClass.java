// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.ffm;

import static org.objectweb.asm.Opcodes.ACC_FINAL;
import static org.objectweb.asm.Opcodes.ACC_PRIVATE;
import static org.objectweb.asm.Opcodes.ACC_PUBLIC;
import static org.objectweb.asm.Opcodes.ACC_STATIC;
import static org.objectweb.asm.Opcodes.ALOAD;
import static org.objectweb.asm.Opcodes.GETSTATIC;
import static org.objectweb.asm.Opcodes.H_INVOKESTATIC;
import static org.objectweb.asm.Opcodes.ILOAD;
import static org.objectweb.asm.Opcodes.INVOKESPECIAL;
import static org.objectweb.asm.Opcodes.INVOKEVIRTUAL;
import static org.objectweb.asm.Opcodes.IRETURN;
import static org.objectweb.asm.Opcodes.PUTSTATIC;
import static org.objectweb.asm.Opcodes.RETURN;
import static org.objectweb.asm.Opcodes.V17;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.List;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Type;

/**
 * Makes the class that implements a table. Each method calls a method handle in a constant of the
 * class, which the JIT compiler can therefore inline:
 *
 * <pre>{@code
 * private static final MethodHandle h3 = (the fourth element of the class data);
 *
 * public int eventQuery(long event) {
 *   return (int) h3.invokeExact(event);
 * }
 * }</pre>
 */
final class TableClass {
  private static final String HANDLE = "java/lang/invoke/MethodHandle";
  private static final String HANDLE_TYPE = "L" + HANDLE + ";";
  private static final String OBJECT = "java/lang/Object";
  private static final String CONSTRUCTOR = "<init>";

  /** {@link MethodHandles#classDataAt}. */
  private static final Handle CLASS_DATA_AT =
      new Handle(
          H_INVOKESTATIC,
          "java/lang/invoke/MethodHandles",
          "classDataAt",
          MethodType.methodType(
                  Object.class, MethodHandles.Lookup.class, String.class, Class.class, int.class)
              .toMethodDescriptorString(),
          false);

  private TableClass() {}

  /**
   * An object whose methods call functions.
   *
   * @param lookup for the package of the interface, which need not be public
   * @param functions of the same types as {@code methods}, in their order
   */
  static <T> T implement(
      MethodHandles.Lookup lookup,
      Class<T> table,
      List<Method> methods,
      List<MethodHandle> functions) {
    try {
      MethodHandles.Lookup made =
          lookup.defineHiddenClassWithClassData(
              classFile(table, methods), List.copyOf(functions), true);
      // not by reflection, for which the package would have to be exported
      MethodHandle constructor =
          made.findConstructor(made.lookupClass(), MethodType.methodType(void.class));
      return table.cast(constructor.invoke());
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(table + " cannot be implemented", e);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e); // the constructor declares no exception
    }
  }

  private static byte[] classFile(Class<?> table, List<Method> methods) {
    String name = Type.getInternalName(table) + "$Ffm";
    ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    out.visit(
        V17,
        ACC_PUBLIC | ACC_FINAL,
        name,
        null,
        OBJECT,
        new String[] {Type.getInternalName(table)});
    MethodVisitor constructor = out.visitMethod(ACC_PUBLIC, CONSTRUCTOR, "()V", null, null);
    constructor.visitCode();
    constructor.visitVarInsn(ALOAD, 0);
    constructor.visitMethodInsn(INVOKESPECIAL, OBJECT, CONSTRUCTOR, "()V", false);
    end(constructor, RETURN);
    MethodVisitor initializer = out.visitMethod(ACC_STATIC, "<clinit>", "()V", null, null);
    initializer.visitCode();
    for (int i = 0; i < methods.size(); i++) {
      out.visitField(ACC_PRIVATE | ACC_STATIC | ACC_FINAL, "h" + i, HANDLE_TYPE, null, null)
          .visitEnd();
      initializer.visitLdcInsn(new ConstantDynamic("_", HANDLE_TYPE, CLASS_DATA_AT, i));
      initializer.visitFieldInsn(PUTSTATIC, name, "h" + i, HANDLE_TYPE);
      addMethod(out, name, methods.get(i), "h" + i);
    }
    end(initializer, RETURN);
    out.visitEnd();
    return out.toByteArray();
  }

  private static void addMethod(ClassWriter out, String owner, Method method, String field) {
    String type = Type.getMethodDescriptor(method);
    MethodVisitor code = out.visitMethod(ACC_PUBLIC, method.getName(), type, null, null);
    code.visitCode();
    code.visitFieldInsn(GETSTATIC, owner, field, HANDLE_TYPE);
    int place = 1;
    for (Type parameter : Type.getArgumentTypes(method)) {
      code.visitVarInsn(parameter.getOpcode(ILOAD), place);
      place += parameter.getSize();
    }
    code.visitMethodInsn(INVOKEVIRTUAL, HANDLE, "invokeExact", type, false);
    end(code, Type.getReturnType(method).getOpcode(IRETURN));
  }

  private static void end(MethodVisitor code, int instruction) {
    code.visitInsn(instruction);
    code.visitMaxs(0, 0); // computed
    code.visitEnd();
  }
}
