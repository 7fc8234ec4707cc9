// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkFiles;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/**
 * The place where executors find a bundle of kernels. It is serialized with the tasks. The bundle
 * itself is not: Spark distributes it to the executors, like other jars and files.
 *
 * <p>Immutable; any thread may use it.
 */
public final class SparkBundle implements Serializable {
  private static final long serialVersionUID = 1L;

  private final @Nullable String anchor;
  private final String name;

  private SparkBundle(@Nullable String anchor, String name) {
    this.anchor = anchor;
    this.name = name;
  }

  /**
   * The bundle in the resources next to a class, in a jar of the application ({@code --jars}, or
   * the application's own). The class is looked up by its name on the executor, with the context
   * class loader of the task.
   *
   * @param anchor a class of the jar
   * @param folder the folder of the bundle, relative to the class, or absolute with a leading slash
   */
  public static SparkBundle ofResources(Class<?> anchor, String folder) {
    return new SparkBundle(
        Objects.requireNonNull(anchor, "anchor").getName(),
        Objects.requireNonNull(folder, "folder"));
  }

  /**
   * The bundle in a file or folder that {@code --files} or {@code --archives} have distributed
   * under that name, or else at a path on the executor's machine.
   *
   * @param name a name as {@code SparkFiles.get} takes it, or a path
   */
  public static SparkBundle ofFile(String name) {
    return new SparkBundle(null, Objects.requireNonNull(name, "name"));
  }

  /**
   * The bundle, on an executor.
   *
   * @throws HalException NOT_FOUND if it is missing, with the places that were searched
   */
  public ExecutableSource source() {
    if (anchor != null) {
      return ExecutableSource.ofResources(find(anchor), name);
    }
    Path brought = SparkEnv.get() == null ? null : Path.of(SparkFiles.get(name));
    if (brought != null && Files.exists(brought)) {
      return ExecutableSource.of(brought);
    }
    Path path = Path.of(name);
    if (Files.exists(path)) {
      return ExecutableSource.of(path);
    }
    throw missing(
        "neither "
            + (brought == null ? "a file that Spark has brought" : brought)
            + " nor "
            + path.toAbsolutePath()
            + " exists",
        null);
  }

  private Class<?> find(String className) {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try {
      return Class.forName(
          className, false, loader == null ? SparkBundle.class.getClassLoader() : loader);
    } catch (ClassNotFoundException | LinkageError e) {
      throw missing("its class " + className + " is not there", e);
    }
  }

  /** The failure if the bundle is not on this executor. */
  HalException missing(String why, @Nullable Throwable cause) {
    return new HalException(
        Status.NOT_FOUND,
        "the bundle "
            + this
            + " is not on this executor: "
            + why
            + "; bring it with "
            + (anchor == null ? "--files or --archives" : "--jars, in which it is " + place()),
        cause);
  }

  /** Where the bundle is in a jar. */
  private String place() {
    String folder = Objects.requireNonNull(anchor).replace('.', '/');
    return name.startsWith("/")
        ? name.substring(1) + "/"
        : folder.substring(0, folder.lastIndexOf('/') + 1) + name + "/";
  }

  /** {@code CLASS:FOLDER}, or the name of the file. */
  @Override
  public String toString() {
    return anchor == null ? name : anchor + ":" + name;
  }
}
