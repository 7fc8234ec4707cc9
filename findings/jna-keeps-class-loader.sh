#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# JNA keeps the class loader of whoever uses it first, as long as the process lives.
#
# Expected  an application that a server has unloaded can be collected, if JNA belongs to the server and the application has
#           closed what it used.
# Happens   JNA's thread "JNA Cleaner" starts with the first native memory or library, inherits the context class loader of the
#           thread that needed it, and lives as long as a library is loaded, so the application's classes stay in memory.
#           (For a minute, so does the JDK's thread "process reaper", since JNA runs ldconfig; this is not compared.)
# Version   JNA 5.19.1, on Java 17 and 25.
# Meets it  whoever redeploys applications in a server, or runs plugins, that share JNA. Remedy: use JNA once at the start of the
#           server, or with the server's class loader as the context class loader.
#
# Needs a JDK and Maven, which downloads JNA. Ends with 77 without them, with 1 if it has changed.
set -euo pipefail
command -v javac >/dev/null && command -v mvn >/dev/null || { echo "needs a JDK and Maven"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dartifact=net.java.dev.jna:jna:5.19.1 -DoutputDirectory=. >log 2>&1 ||
  { cat log; echo "JNA 5.19.1 cannot be downloaded"; exit 77; }
mkdir application server
cat >Application.java <<'CODE'
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
public class Application implements Runnable {
  public void run() {
    NativeLibrary.getInstance(Platform.C_LIBRARY_NAME).getFunction("abs").invokeInt(new Object[] {-1});
  }
}
CODE
cat >Server.java <<'CODE'
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
public class Server {
  /** Runs an application in a thread and a class loader of its own, and lets go of both. */
  static WeakReference<ClassLoader> deploy() throws Exception {
    URLClassLoader loader =
        new URLClassLoader(new URL[] {Path.of("application/").toUri().toURL()}, Server.class.getClassLoader());
    Thread thread = new Thread((Runnable) loader.loadClass("Application").getConstructor().newInstance());
    thread.setContextClassLoader(loader);
    thread.start();
    thread.join();
    loader.close();
    return new WeakReference<>(loader);
  }
  static String isCollected(WeakReference<ClassLoader> loader) throws Exception {
    for (int i = 0; i < 50 && loader.get() != null; i++) {
      System.gc();
      Thread.sleep(20); // for references that were cleared
    }
    return loader.get() == null ? "collected" : "kept";
  }
  public static void main(String[] arguments) throws Exception {
    WeakReference<ClassLoader> first = deploy();
    WeakReference<ClassLoader> second = deploy();
    System.out.println("first " + isCollected(first) + ", second " + isCollected(second));
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      ClassLoader context = thread.getContextClassLoader();
      boolean isOfJna = thread.getName().startsWith("JNA");
      if (isOfJna && context != null && context == first.get()) System.out.println("its loader is that of the thread " + thread.getName());
    }
  }
}
CODE
javac -cp jna-5.19.1.jar -d application Application.java
javac -d server Server.java
found=$(java -cp server:jna-5.19.1.jar Server 2>errors) || { cat errors; exit 1; }
wanted="first kept, second collected
its loader is that of the thread JNA Cleaner"
echo "$found"
[ "$found" = "$wanted" ] || { echo "expected: $wanted"; exit 1; }
