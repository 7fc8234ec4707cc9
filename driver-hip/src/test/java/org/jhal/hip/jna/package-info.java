// SPDX-License-Identifier: Apache-2.0
/** Tests of the mapping against the headers. */
@NullMarked
package org.jhal.hip.jna;

import org.jspecify.annotations.NullMarked;
