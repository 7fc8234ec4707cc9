// SPDX-License-Identifier: Apache-2.0
/** Tests of the JMH benchmarks. */
@NullMarked
package org.jhal.bench.micro;

import org.jspecify.annotations.NullMarked;
