/** The neutral engine that drivers are built on. */
@NullMarked
package org.jhal.utils;

import org.jspecify.annotations.NullMarked;
