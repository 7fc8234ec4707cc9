// SPDX-License-Identifier: Apache-2.0
/** The example driver under the conformance suite. */
@NullMarked
package org.example.tiny;

import org.jspecify.annotations.NullMarked;
