// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.util.MutableURLClassLoader;
import org.jhal.Hal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * JHAL is distributed with {@code --jars}, which is the setting {@code spark.jars}: an executor has
 * only Spark on its class path, and a script finds the devices.
 */
@Timeout(300)
class SparkJarsTest {
  private static final int PARTITIONS = 4;

  /**
   * The origin of a class in an executor.
   *
   * @param isOnClassPath whether the loader with which the JVM began has it
   * @param isFromJars whether the loader has it that Spark made for {@code --jars}
   */
  record Origin(String name, boolean isOnClassPath, boolean isFromJars) implements Serializable {
    static Origin of(Class<?> type) {
      String file = type.getName().replace('.', '/') + ".class";
      return new Origin(
          type.getName(),
          ClassLoader.getSystemResource(file) != null,
          type.getClassLoader() instanceof MutableURLClassLoader);
    }
  }

  private static final class Origins implements FlatMapFunction<Iterator<float[]>, Origin> {
    private static final long serialVersionUID = 1L;

    @Override
    public Iterator<Origin> call(Iterator<float[]> arrays) {
      Class<?> driver = HalTask.device().device().getClass();
      return List.of(
              Origin.of(SparkEnv.class),
              Origin.of(Hal.class),
              Origin.of(HalPlugin.class),
              Origin.of(driver),
              Origin.of(Origins.class))
          .iterator();
    }
  }

  @Test
  void executorsWithoutJhalGetItFromTheApplication() throws Exception {
    try (LocalSpark spark = LocalSpark.withJars(1)) {
      JavaRDD<float[]> data = Scaling.data(spark.context(), PARTITIONS);
      List<Origin> origins =
          spark.run("origins", () -> data.mapPartitions(new Origins()).collect());
      assertEquals(5 * PARTITIONS, origins.size());
      for (Origin origin : origins) {
        boolean isSpark = origin.name().startsWith("org.apache.spark.");
        assertEquals(isSpark, origin.isOnClassPath(), origin::toString);
        assertEquals(!isSpark, origin.isFromJars(), origin::toString);
      }
      Scaling.check(
          spark.run("a job", () -> data.mapPartitions(new Scaling()).collect()), PARTITIONS);
      List<double[]> halves =
          spark.run("a mapping", () -> data.mapPartitions(Scaling.HALVES).collect());
      Scaling.checkHalves(halves, PARTITIONS);
      assertTrue(spark.removed().isEmpty(), () -> "executors that ended: " + spark.removed());
    }
  }
}
