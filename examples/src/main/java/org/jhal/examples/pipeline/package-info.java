// SPDX-License-Identifier: Apache-2.0
/** A program that uses several devices. */
@NullMarked
package org.jhal.examples.pipeline;

import org.jspecify.annotations.NullMarked;
