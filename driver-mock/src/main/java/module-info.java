/** The driver that runs everything on the CPU. */
module org.jhal.mock {
  requires org.jhal.utils;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
}
