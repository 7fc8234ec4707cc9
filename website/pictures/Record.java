// SPDX-License-Identifier: Apache-2.0
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;

/**
 * Records the fastest of some runs of a program, after others that warm the JVM up, so that the
 * picture of it shows the work alone: Record SETTINGS.jfc RECORDING.jfr CLASS ARGUMENTS.
 */
public class Record {
  static final int WARM_UP = 40;
  static final int RUNS = 20;

  public static void main(String[] args) throws Exception {
    Method program = Class.forName(args[2]).getMethod("main", String[].class);
    String[] arguments = Arrays.copyOfRange(args, 3, args.length);
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < WARM_UP + RUNS; i++) {
      try (Recording recording = new Recording(Configuration.create(Path.of(args[0])))) {
        recording.start();
        long begin = System.nanoTime();
        program.invoke(null, (Object) arguments);
        long took = System.nanoTime() - begin;
        recording.stop();
        if (i >= WARM_UP && took < fastest) {
          fastest = took;
          recording.dump(Path.of(args[1]));
        }
      }
    }
  }
}
