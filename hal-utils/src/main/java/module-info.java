/** The neutral engine that drivers are built on. */
module org.jhal.utils {
  requires transitive org.jhal;
  requires com.google.common;
  requires com.google.gson;
  requires static com.google.errorprone.annotations;
  requires static com.sun.jna;
  requires static org.jspecify;

  exports org.jhal.utils;
  exports org.jhal.utils.bundle;
  exports org.jhal.utils.controls;
  exports org.jhal.utils.gpu;
}
