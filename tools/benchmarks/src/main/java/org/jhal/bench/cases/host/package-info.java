// SPDX-License-Identifier: Apache-2.0
/**
 * Cases of the runtime's costs on the host: to submit, park, signal and wait, in time and in
 * memory, compared with similar means of the JDK.
 *
 * <p>A case belongs here if it runs on a device of any driver and does not compare JHAL with native
 * code.
 */
@NullMarked
package org.jhal.bench.cases.host;

import org.jspecify.annotations.NullMarked;
