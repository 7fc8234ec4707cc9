// SPDX-License-Identifier: Apache-2.0
/** JMH benchmarks of single steps; docs/benchmarks.md explains how to run and read them. */
@NullMarked
package org.jhal.bench.micro;

import org.jspecify.annotations.NullMarked;
