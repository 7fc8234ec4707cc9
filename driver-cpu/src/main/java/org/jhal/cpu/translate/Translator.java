package org.jhal.cpu.translate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jhal.HalException;
import org.jhal.Status;
import org.jhal.cpu.translate.Translation.Form;
import org.jhal.driver.bundle.EntryName;
import org.jspecify.annotations.Nullable;

/**
 * Translates preprocessed GPU C++ to C++ for the host: takes the source apart, finds the fastest
 * {@link Level} that fits each kernel, and writes it in that form. A kernel with anything unknown
 * gets a slower level, and its {@link Translation.Form} says why.
 */
public final class Translator {
  private final SourceFile source;
  private final Calls calls;
  private final String whyForced;
  private final Divider divider;
  private final Map<String, KernelRequest> sizes = new HashMap<>(); // by kernel
  private final Map<String, String> groups = new HashMap<>(); // NAME__groups by kernel, if it fits
  private final Map<String, List<Token>> coroutines = new HashMap<>(); // by kernel, if it fits
  private final Map<String, String> reasons = new HashMap<>(); // why a kernel does not fit

  private Translator(String preprocessed, String whyForced) {
    this.whyForced = whyForced;
    this.source = new SourceFile(ItemRewriter.rewrite(Lexer.tokens(preprocessed)));
    this.calls = new Calls(source);
    this.divider = new Divider(source, calls);
  }

  /**
   * Translates a source.
   *
   * @param preprocessed what {@code c++ -E} wrote
   * @param kernels those to run, by index
   * @param forced the level to use, for tests; null for the fastest that fits each kernel
   * @throws HalException NOT_FOUND if there is no such kernel
   */
  public static Translation translate(
      String preprocessed, List<KernelRequest> kernels, @Nullable Level forced) {
    String why = forced == null ? "" : "as the option barriers demands";
    return translate(preprocessed, kernels, forced, why);
  }

  /**
   * Translates a source to a level that is forced.
   *
   * @param why it is forced, for people
   */
  public static Translation translate(
      String preprocessed, List<KernelRequest> kernels, @Nullable Level forced, String why) {
    return new Translator(preprocessed, why).translate(kernels, forced);
  }

  private Translation translate(List<KernelRequest> kernels, @Nullable Level forced) {
    List<Form> forms = new ArrayList<>();
    Map<String, String> divided = new HashMap<>();
    Map<String, List<Token>> stopping = new HashMap<>();
    Set<String> whole = new HashSet<>();
    for (KernelRequest kernel : kernels) {
      KernelRequest unused = sizes.merge(kernel.name(), kernel, Translator::narrower);
    }
    for (KernelRequest kernel : kernels) {
      Form form = form(find(kernel), forced);
      forms.add(form);
      switch (form.level()) {
        case FISSION ->
            divided.put(kernel.name(), Objects.requireNonNull(groups.get(kernel.name())));
        case COROUTINE ->
            stopping.put(kernel.name(), Objects.requireNonNull(coroutines.get(kernel.name())));
        case PLAIN, ASKING, FIBER -> whole.add(kernel.name());
      }
    }
    Writer out = new Writer();
    out.raw("#include \"hal_cpu.h\"\n");
    new SourceWriter(source).write(out, divided, stopping, whole);
    out.generated();
    for (int i = 0; i < kernels.size(); i++) {
      SourceWriter.entry(out, i, kernels.get(i), forms.get(i));
    }
    return new Translation(out.toString(), forms);
  }

  /** A size that says what holds for both. */
  private static KernelRequest narrower(KernelRequest a, KernelRequest b) {
    return new KernelRequest(
        a.entry(), Math.min(a.x(), b.x()), Math.max(a.y(), b.y()), Math.max(a.z(), b.z()));
  }

  private Function find(KernelRequest kernel) {
    for (Function function : source.functions()) {
      if (function.hasBody() && function.isKernel() && function.text().equals(kernel.name())) {
        return function;
      }
    }
    throw new HalException( // an expression is compiled, and fails as other code does
        EntryName.isExpression(kernel.entry()) ? Status.INVALID_ARGUMENT : Status.NOT_FOUND,
        "the source has no kernel '" + kernel.entry() + "'");
  }

  // Levels.

  private Form form(Function kernel, @Nullable Level forced) {
    boolean meets = calls.hasMeeting(kernel.text());
    boolean shares = kernel.statements().stream().anyMatch(token -> token.is("__shared__"));
    if (calls.asksThroughClass(kernel.text())) {
      boolean meetsInClass = calls.meetsAnywhere(kernel.text());
      Level level = meetsInClass || shares ? Level.FIBER : Level.ASKING;
      return new Form(level, meetsInClass, "a class asks for the work item");
    }
    if (!meets && !shares && (forced == null || forced == Level.PLAIN)) {
      return new Form(divide(kernel).isEmpty() ? Level.FISSION : Level.PLAIN, false, "");
    }
    List<String> why = new ArrayList<>();
    if (forced == null || forced == Level.FISSION) {
      String no = divide(kernel);
      if (no.isEmpty()) {
        return new Form(Level.FISSION, meets, "");
      }
      why.add(no);
    }
    if (forced != Level.FIBER && meets) {
      String no = stop(kernel);
      if (no.isEmpty()) {
        return new Form(Level.COROUTINE, true, reasons(why));
      }
      if (!why.contains(no)) {
        why.add(no);
      }
    }
    return new Form(Level.FIBER, meets, reasons(why));
  }

  private String reasons(List<String> why) {
    return why.isEmpty() ? whyForced : String.join("; ", why);
  }

  /** Makes a kernel a coroutine. Returns why that is not possible; empty if it is. */
  private String stop(Function kernel) {
    try {
      coroutines.put(kernel.text(), Coroutine.of(kernel, calls));
      return "";
    } catch (UnfitException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Divides a kernel. Returns why that is not possible; empty if it is. */
  private String divide(Function kernel) {
    String name = kernel.text();
    if (groups.containsKey(name)) {
      return "";
    }
    return reasons.computeIfAbsent(
        name,
        ignored -> {
          try {
            groups.put(name, divider.divide(kernel, Objects.requireNonNull(sizes.get(name))));
            return "";
          } catch (UnfitException e) {
            return String.valueOf(e.getMessage());
          }
        });
  }
}
