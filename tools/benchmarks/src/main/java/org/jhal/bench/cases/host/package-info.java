/**
 * Cases of what the runtime costs the host: to submit, park, signal and wait, in time and in
 * memory, beside the JDK's means for the like.
 *
 * <p>A case belongs here if it runs on a device of any driver and compares JHAL with nothing
 * native.
 */
@NullMarked
package org.jhal.bench.cases.host;

import org.jspecify.annotations.NullMarked;
