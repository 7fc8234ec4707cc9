// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jhal.cpu.translate.KernelRequest;
import org.jhal.cpu.translate.Level;
import org.jhal.cpu.translate.Translation;
import org.jhal.cpu.translate.Translation.Rejected;
import org.jhal.cpu.translate.Translator;
import org.jhal.kernels.bundle.GlobalSize;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.kernels.source.CompilerOptions;
import org.jhal.kernels.source.SourceCode;
import org.jspecify.annotations.Nullable;

/**
 * Compiles kernels in GPU C++: preprocesses the source, translates it, and compiles the
 * translation. Kernels that the compiler rejects it gets again in the form that changes least.
 *
 * <p>Thread-safe.
 */
public final class SourceCompiler {
  /** The name of this compiler in the options of a manifest. */
  private static final String NAME = "cpu";

  private static final String UNFUSED = "-ffp-contract=off";

  private static final String REJECTED = "the compiler rejects the faster form: ";

  /** What a message names that is about a cast which is to saturate. */
  private static final Pattern CAST =
      Pattern.compile("hal_(cast|to|as|into|after)\\b|hal_whole_of");

  // Names of hal_item.h and hal_meet.h.
  private static final Set<String> PRESENT_ITEM =
      Set.of("_ZL11hal_current", "_ZL9threadIdx", "_ZL8blockIdx", "_ZL8blockDim", "_ZL7gridDim");
  private static final Set<String> STOPS = Set.of("hal_switch");

  private static final String ASKS_UNSEEN =
      "code that is not given the work item, such as an operator, asks for it";
  private static final String WAITS_UNSEEN =
      "items meet in code that is not given the work item, such as an operator";

  private static final String NO_ASSERTIONS = "-DNDEBUG";

  /** The standards that have coroutines. */
  private static final Predicate<String> HAS_COROUTINES =
      Pattern.compile("-std=(c|gnu)\\+\\+2[0-9a-z]").asMatchPredicate();

  private final HostCompiler compiler;
  private final @Nullable Level forced;
  private final @Nullable Architecture target;
  private final int checks;

  /**
   * Creates a compiler.
   *
   * @param forced the level of all kernels, or null for the best of each
   * @param target what to compile for, or null for this machine alone
   */
  public SourceCompiler(
      HostCompiler compiler, @Nullable Level forced, @Nullable Architecture target) {
    this(compiler, forced, target, 0);
  }

  private SourceCompiler(
      HostCompiler compiler, @Nullable Level forced, @Nullable Architecture target, int checks) {
    this.compiler = compiler;
    this.forced = forced;
    this.target = target;
    this.checks = checks;
  }

  /**
   * A compiler of kernels that are checked when they run, for this machine alone.
   *
   * @param checks what is checked, as a sum of the numbers of {@code hal_check.h}
   */
  public static SourceCompiler checked(HostCompiler compiler, int checks) {
    return new SourceCompiler(compiler, Level.ASKING, null, checks);
  }

  /**
   * The options of a variant, which are about the language and arithmetic alone.
   *
   * @throws HalException INVALID_ARGUMENT for any other, such as one that names a file or a plugin
   */
  public static List<String> options(Variant variant, String what) {
    List<String> options = variant.options(NAME, UNFUSED);
    CompilerOptions.check(options, "the CPU", what);
    return options;
  }

  /**
   * Compiles kernels.
   *
   * @param variant whose source it is
   * @param kernels in the order of the library's indexes
   * @param globals likewise
   * @param what is being compiled, for people
   */
  public byte[] compile(
      SourceCode source,
      Variant variant,
      List<KernelSpec> kernels,
      List<Global> globals,
      String what) {
    List<String> options = options(variant, what);
    List<KernelRequest> requests = new ArrayList<>();
    List<KernelLibrary.Kernel> libraryKernels = new ArrayList<>();
    for (KernelSpec kernel : kernels) {
      Workgroups size = kernel.workgroupSize();
      requests.add(new KernelRequest(variant.entry(kernel.name()), size.x(), size.y(), size.z()));
      libraryKernels.add(new KernelLibrary.Kernel(kernel.name(), size));
    }
    String preprocessed = compiler.preprocess(source, options, what);
    globals.forEach(global -> checkNamed(preprocessed, global, what));
    String described = KernelLibrary.source(target, libraryKernels, globals);
    Map<String, Rejected> rejected = new HashMap<>(); // by entry
    HalException first = null; // why the fastest forms were rejected
    boolean saturates = !HostCompiler.findsCasts(checks); // a cast that saturates is none of those
    while (true) {
      Translation translation =
          translate(preprocessed, requests, rejected, saturates, options, what);
      try {
        return compile(translation, described, options, what);
      } catch (AskingException e) {
        rejected.putAll(e.rejected);
      } catch (HalException e) {
        // A kernel that only its faster form keeps from compiling still runs, and says why so
        // slowly. Other failures are not about the source: the next call may succeed.
        if (e.status() != Status.INVALID_ARGUMENT) {
          throw e;
        }
        String log = String.valueOf(e.getMessage());
        if (saturates && CAST.matcher(log).find()) {
          saturates = false; // casts in a place that the translator does not know
          continue;
        }
        first = first == null ? e : first;
        if (!reject(requests, translation, log, rejected)) {
          checkUnchanged(preprocessed, options, what); // whose messages are about the source alone
          if (saturates) {
            saturates = false; // likewise, without a word about it
            rejected.clear();
            continue;
          }
          throw first;
        }
      }
    }
  }

  /** Whether it is a variable, the compiler says. */
  private static void checkNamed(String preprocessed, Global global, String what) {
    if (!Pattern.compile("\\b" + global.name() + "\\b").matcher(preprocessed).find()) {
      throw new HalException(Status.NOT_FOUND, GlobalSize.absence(global, what));
    }
  }

  /** A kernel that the source lacks may be hidden by an error, which is what helps then. */
  private Translation translate(
      String preprocessed,
      List<KernelRequest> requests,
      Map<String, Rejected> rejected,
      boolean saturates,
      List<String> options,
      String what) {
    try {
      return Translator.translate(
          preprocessed, what, requests, forced, rejected, saturates, hasWideVectors());
    } catch (HalException e) {
      if (e.getCause() == null) {
        checkUnchanged(preprocessed, options, what);
      }
      throw e;
    }
  }

  private boolean hasWideVectors() {
    return target == null
        ? CpuFeatures.machine().flags().contains("avx2")
        : target.features().contains("avx2");
  }

  /**
   * Compiles a source as it is.
   *
   * @throws HalException INVALID_ARGUMENT if it has errors
   */
  private void checkUnchanged(String preprocessed, List<String> options, String what) {
    compile(Translator.unchanged(preprocessed, what), "", options, what);
  }

  /**
   * Adds the forms in which the compiler reports errors; all if it reports none in a kernel.
   * Returns false if the errors are in code that was not changed.
   */
  private static boolean reject(
      List<KernelRequest> requests,
      Translation translation,
      String log,
      Map<String, Rejected> rejected) {
    Map<String, Rejected> found = new HashMap<>();
    Map<String, Rejected> others = new HashMap<>();
    for (int i = 0; i < requests.size(); i++) {
      KernelRequest request = requests.get(i);
      Translation.Form form = translation.kernels().get(i);
      if (form.isUnchanged()) {
        continue;
      }
      Rejected before = rejected.get(request.entry());
      String error = CompilerLog.errorIn(log, request.name(), translation.places().get(i)::has);
      String any = error.isEmpty() ? CompilerLog.firstError(log) : error;
      String why = before == null ? REJECTED + any : before.why();
      (error.isEmpty() ? others : found)
          .put(request.entry(), new Rejected(form.level(), false, why));
    }
    if (others.values().stream().anyMatch(each -> each.level() == Level.LOCKSTEP)) {
      // The errors are in the header of vectors, which the other kernels do not use.
      others.values().removeIf(each -> each.level() != Level.LOCKSTEP);
    }
    rejected.putAll(found.isEmpty() ? others : found);
    return !found.isEmpty() || !others.isEmpty();
  }

  private byte[] compile(
      Translation translation, String described, List<String> options, String what) {
    List<String> rest = new ArrayList<>(options);
    rest.removeIf(CompilerOptions::isPreprocessed);
    if (options.contains(NO_ASSERTIONS)) {
      rest.add(NO_ASSERTIONS); // for sources that include no header for assertions
    }
    rest.add(0, "-std=c++17"); // the bundle's own comes behind it
    if (translation.hasCoroutines() && options.stream().noneMatch(HAS_COROUTINES)) {
      rest.add("-std=c++20");
    }
    String text = translation.text() + described;
    String march = target == null ? HostCompiler.NATIVE : target.march();
    return compiler.compile(
        text, march, translation.hasMasks(), checks, rest, what, file -> check(translation, file));
  }

  /**
   * Checks that kernels use nothing that their forms lack: the item that the thread is at, unless
   * the form sets it, and a stack of the item to wait on, unless it has one.
   */
  private static void check(Translation translation, ObjectFile compiled) {
    Map<String, Rejected> rejected = new HashMap<>();
    for (int i = 0; i < translation.kernels().size(); i++) {
      Level level = translation.kernels().get(i).level();
      String kernel = "hal_kernel_" + i;
      boolean isSet = level == Level.ASKING || level == Level.FIBER;
      if (level != Level.FIBER && compiled.uses(kernel, STOPS)) {
        rejected.put(translation.entries().get(i), new Rejected(Level.ASKING, true, WAITS_UNSEEN));
      } else if (!isSet && compiled.uses(kernel, PRESENT_ITEM)) {
        rejected.put(translation.entries().get(i), new Rejected(level, true, ASKS_UNSEEN));
      }
    }
    if (!rejected.isEmpty()) {
      throw new AskingException(rejected);
    }
  }

  /** That kernels ask for what their forms lack. */
  private static final class AskingException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Map<String, Rejected> rejected; // by entry

    AskingException(Map<String, Rejected> rejected) {
      super(rejected.toString());
      this.rejected = rejected;
    }
  }
}
