/**
 * What operations do: each kind of work is a class. It keeps alive what it uses, and ends that.
 *
 * <p>Files and groups have work of their own in their rooms.
 */
@NullMarked
package org.jhal.engine.work;

import org.jspecify.annotations.NullMarked;
