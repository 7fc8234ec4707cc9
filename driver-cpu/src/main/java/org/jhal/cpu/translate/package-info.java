// SPDX-License-Identifier: Apache-2.0
/**
 * Translates preprocessed GPU C++ to C++ that runs workgroups on a processor. {@link
 * org.jhal.cpu.translate.Translator} is the way in. A source goes through these stages; docs/cpu.md
 * shows a kernel in each of them.
 *
 * <ul>
 *   <li>Tokens: {@code Lexer} makes {@code Token}s, {@code Tokens} looks at lists of them, {@code
 *       SourceFile} finds functions, classes and variables, {@code CallGraph} says in which
 *       functions items ask for their index or meet, {@code UnresolvedNames} of which that is not
 *       sure, and {@code ItemRewriter} passes the item to the others.
 *   <li>Statements: {@code StatementParser} and {@code Declarations} parse a kernel to {@code
 *       Statement}s. {@code BarrierLowering} makes each place where items meet a barrier, with
 *       {@code WarpFunctions} for warps and {@code Inliner} for functions. {@code Scopes} gives
 *       each variable its own name.
 *   <li>Facts: {@code Changes}, {@code Casts}, {@code Purity} and {@code Source} say what may
 *       change and what may be computed again, {@code UniformityAnalysis} what is the same for all
 *       items, and {@code MonotonicConditions} which conditions hold for all items if they do for
 *       the last one. In doubt they say no.
 *   <li>Loops: {@code LoopInterchange} puts the items inside loops that are faster so, as {@code
 *       StrideAnalysis} says.
 *   <li>Plan: {@code WorkgroupFunctions} calls {@code LoopFission}, which divides the statements to
 *       {@code Step}s, and {@code Privatization} says where each {@code Variable} lives.
 *   <li>Output: {@code FissionWriter} and {@code RegionWriter} write a plan, {@code Coroutine} the
 *       form that stops at barriers, and {@code SourceWriter} the whole, with a {@code Writer} that
 *       keeps the lines of the source.
 * </ul>
 *
 * <p>What a stage does not know ends in an {@code UnfitException}, and the kernel gets a slower
 * form. Arrows go from later stages to earlier ones.
 */
@NullMarked
package org.jhal.cpu.translate;

import org.jspecify.annotations.NullMarked;
