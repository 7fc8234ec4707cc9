// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.jhal.examples.spark;

import org.jspecify.annotations.NullMarked;
