/** The API of JHAL and its service interface for drivers. */
module org.jhal {
  requires static org.jspecify;
}
