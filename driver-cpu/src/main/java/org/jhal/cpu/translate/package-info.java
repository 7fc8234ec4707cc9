// SPDX-License-Identifier: Apache-2.0
/**
 * Translates preprocessed GPU C++ to C++ that runs workgroups on a processor. {@link
 * org.jhal.cpu.translate.Translator} is the way in. A source goes through these stages; docs/cpu.md
 * shows a kernel in each of them.
 *
 * <ul>
 *   <li>Tokens: {@code Lexer} makes {@code Token}s, {@code Tokens} looks at lists of them, {@code
 *       SourceFile} finds functions, classes and variables. {@code CallGraph} says which functions
 *       ask for the item's index or reach a barrier, {@code UnresolvedNames} of which that is not
 *       sure. {@code StaticMethods} and {@code ObjectMethods} make functions of methods, and {@code
 *       ItemRewriter} clones functions with the item as a parameter.
 *   <li>Statements: {@code StatementParser} and {@code Declarations} parse a kernel to {@code
 *       Statement}s. {@code BarrierLowering} makes each call that synchronizes a barrier, with
 *       {@code WarpFunctions} for shuffles, votes and reductions, and {@code Inliner} for functions
 *       with barriers; for loops in lockstep it also inlines {@code LockstepFunctions}, {@code
 *       EarlyReturns} makes breaks of their returns, and {@code Switches} branches. {@code
 *       EarlyExits} makes branches of early exits, and {@code Scopes} gives each variable its own
 *       name, {@code CountedLoops} writes {@code while} as {@code for}. {@code LocalTypes} and
 *       {@code ConstantOverloads} say where other names may come to mean something else.
 *   <li>Analyses: {@code Changes} (with {@code Casts} and {@code Source}) says what is modified and
 *       what escapes, {@code Purity} which expressions may be computed anywhere, {@code
 *       UniformityAnalysis} which variables and branches are uniform, {@code StrideAnalysis} which
 *       elements consecutive items access, and {@code MonotonicConditions} which conditions hold
 *       for all items if they do for the first and the last one. In doubt they say no.
 *   <li>Loops: {@code LoopInterchange} puts the loop over the items inside loops of the kernel, and
 *       {@code BlockCoarsening} says which workgroups run as one.
 *   <li>Loop fission: {@code WorkgroupFunctions} calls {@code LoopFission}, which divides the
 *       statements at barriers into {@code Step}s: parallel regions, and the uniform or masked
 *       control flow between them. {@code Privatization} says of each {@code Variable} whether it
 *       is private to a region, expanded to an array, rematerialized or uniform. {@code Lockstep}
 *       says which loops several items go through together, as vectors, and writes them with {@code
 *       LockstepExpressions} and {@code LockstepNames}. {@code Shuffles} takes shuffles out of
 *       regions, and {@code Residues} says which branches every so many items take.
 *   <li>Output: {@code FissionWriter} and {@code RegionWriter} write that plan, {@code Coroutine}
 *       the form that is suspended at barriers, and {@code SourceWriter} the whole, with a {@code
 *       Writer} that keeps the lines of the source. {@code Proofs} lets the compiler check what the
 *       analyses guessed from names, {@code IndexWidening} computes subscripts in 64 bits, {@code
 *       InnerRanges} and {@code UnclampedRows} leave out clamps and guards where they make no
 *       difference, {@code UnrollAndJam} makes iterations in a row, {@code SharedCalls} and {@code
 *       RowFunction} compute once what items compute for each other, {@code OwnedAtomics} locks no
 *       shared memory, {@code ConditionalStores} writes elements without a branch, {@code
 *       Conjunctions} computes conditions whole, and {@code DelayedAdds} adds to buffers once for a
 *       thread.
 * </ul>
 *
 * <p>What a stage does not know ends in an {@code UnfitException}, and the kernel gets a slower
 * form. Arrows go from later stages to earlier ones.
 */
@NullMarked
package org.jhal.cpu.translate;

import org.jspecify.annotations.NullMarked;
