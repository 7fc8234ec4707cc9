// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jhal.ElementType;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Parameter.Direction;
import org.jhal.Parameter.Kind;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a bundle: the file {@link #FILE} at its root. Schema: docs/bundles.md.
 *
 * @param name the name of the bundle, for people
 * @param kernels at least one, in the order of the manifest
 * @param globals the variables of the code that the host may access, in the order of the manifest
 * @param variants at least one, in the order of the manifest: best first
 * @param isPortable whether arithmetic is portable, in these variants and in those of overlays
 */
public record Manifest(
    String name,
    List<KernelSpec> kernels,
    List<Global> globals,
    List<Variant> variants,
    boolean isPortable) {
  /** The path of the manifest in a bundle. */
  public static final String FILE = "manifest.json";

  /** The largest manifest that is read, in bytes. */
  public static final int MAX_BYTES = 1 << 20;

  private static final int VERSION = 1;
  private static final String PORTABLE = "portable";
  private static final Pattern FORMAT = Pattern.compile("[a-z][a-z0-9+.-]*");
  private static final String FORMAT_RULE =
      "it must be lower-case letters, digits, '+', '.' and '-', starting with a letter";
  private static final Pattern CLASS_NAME =
      Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*(\\.[A-Za-z_$][A-Za-z0-9_$]*)*");
  private static final String CLASS_RULE = "it must be the binary name of a class";
  private static final Pattern PATH =
      Pattern.compile("(?!\\.{1,2}(/|$))[^/\\\\:\\x00]+" + "(/(?!\\.{1,2}(/|$))[^/\\\\:\\x00]+)*");
  private static final String PATH_RULE =
      "it must be a path inside the bundle: relative, '/' between its parts, no '.' or '..'";
  private static final Pattern NOT_EMPTY = Pattern.compile("(?s).+");

  /**
   * Reads and checks the manifest of an overlay, which has variants only. Checks nothing but the
   * name in an overlay for another bundle.
   *
   * @param overlay one of {@link ExecutableSource#overlays}
   * @return its variants; empty if it is for a bundle of another name
   * @throws HalException as {@link #read}
   */
  public List<Variant> overlay(ExecutableSource overlay) {
    JsonValue root = parse(overlay, "overlay ");
    JsonValue bundle = root.find("bundle"); // first: of another's overlay nothing else is checked
    if (bundle != null && !bundle.string(NOT_EMPTY, "it must not be empty").equals(name)) {
      return List.of();
    }
    if (bundle == null && root.find("kernels") != null) {
      throw root.failure(
          "is that of a bundle with kernels of its own, not of an overlay, which names the bundle"
              + " that it is for with the key 'bundle'");
    }
    root.allow("version", "bundle", "variants");
    checkVersion(root);
    root.get("bundle");
    Set<String> names = new HashSet<>();
    kernels.forEach(kernel -> names.add(kernel.name()));
    List<Variant> found = new ArrayList<>();
    for (JsonValue item : notEmpty(root.get("variants"))) {
      found.add(variant(item, names, false, isPortable));
    }
    return found;
  }

  /** Whether a text is a path of a file in a bundle, as manifests write it. */
  public static boolean isPath(String text) {
    return PATH.matcher(text).matches();
  }

  /** Checks for null and copies the lists. */
  public Manifest {
    Objects.requireNonNull(name, "name");
    kernels = List.copyOf(Objects.requireNonNull(kernels, "kernels"));
    globals = List.copyOf(Objects.requireNonNull(globals, "globals"));
    variants = List.copyOf(Objects.requireNonNull(variants, "variants"));
  }

  /**
   * Reads and checks the manifest of a bundle.
   *
   * @throws HalException NOT_FOUND if there is none; INVALID_ARGUMENT, with the place, the value
   *     and the allowed values, if it is malformed; DATA_LOSS if reading fails
   */
  public static Manifest read(ExecutableSource source) {
    Objects.requireNonNull(source, "source");
    JsonValue root = parse(source, "bundle ");
    if (root.find("bundle") != null && root.find("kernels") == null) {
      throw root.failure(
          "is that of an overlay, which has no kernels; it is laid over the bundle that it names,"
              + " by withVariants or --variants");
    }
    root.allow("version", "name", "arithmetic", "kernels", "globals", "variants");
    checkVersion(root);
    boolean isPortable = isPortable(root.find("arithmetic"));
    String name = root.get("name").string(NOT_EMPTY, "it must not be empty");

    List<KernelSpec> kernels = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonValue item : notEmpty(root.get("kernels"))) {
      KernelSpec kernel = kernel(item);
      if (!names.add(kernel.name())) {
        throw item.failure("has the name '" + kernel.name() + "' of an earlier kernel");
      }
      kernels.add(kernel);
    }
    List<Variant> variants = new ArrayList<>();
    for (JsonValue item : notEmpty(root.get("variants"))) {
      variants.add(variant(item, names, !source.javaKernels().isEmpty(), isPortable));
    }
    return new Manifest(name, kernels, globals(root.find("globals")), variants, isPortable);
  }

  private static List<Global> globals(@Nullable JsonValue list) {
    List<Global> globals = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonValue item : list == null ? List.<JsonValue>of() : list.items()) {
      item.allow("name", "type", "count");
      JsonValue count = item.find("count");
      Global global =
          new Global(
              item.get("name").identifier(),
              oneOf(ElementType.values(), item.get("type")),
              count == null ? 1 : count.integer(1, Integer.MAX_VALUE));
      if (!names.add(global.name())) {
        throw item.failure("has the name '" + global.name() + "' of an earlier global");
      }
      globals.add(global);
    }
    return globals;
  }

  private static boolean isPortable(@Nullable JsonValue arithmetic) {
    if (arithmetic != null && !arithmetic.string().equals(PORTABLE)) {
      throw arithmetic.failure(
          "is '"
              + arithmetic.string()
              + "'; it must be "
              + PORTABLE
              + ", or absent for what each compiler does by itself");
    }
    return arithmetic != null;
  }

  private static JsonValue parse(ExecutableSource source, String what) {
    byte[] bytes = source.read(FILE, MAX_BYTES);
    if (bytes == null) {
      throw new HalException(
          Status.NOT_FOUND, what + source.name() + " has no " + FILE + " at its root");
    }
    return JsonValue.parse(what + source.name() + ", " + FILE, bytes);
  }

  private static void checkVersion(JsonValue root) {
    JsonValue version = root.get("version");
    if (version.integer(0, Integer.MAX_VALUE) != VERSION) {
      throw version.failure(
          "is " + version.integer(0, Integer.MAX_VALUE) + "; the supported version is " + VERSION);
    }
  }

  private static List<JsonValue> notEmpty(JsonValue list) {
    List<JsonValue> items = list.items();
    if (items.isEmpty()) {
      throw list.failure("is empty; it needs at least one item");
    }
    return items;
  }

  private static KernelSpec kernel(JsonValue json) {
    json.allow(
        "name",
        "parameters",
        "bindings",
        "constants",
        "workgroupSize",
        "dynamicSharedMemory",
        "cooperative",
        "run");
    JsonValue run = json.find("run"); // hints for the command line
    if (run != null) {
      run.checkObject();
    }
    JsonValue shared = json.find("dynamicSharedMemory");
    JsonValue cooperative = json.find("cooperative");
    return new KernelSpec(
        json.get("name").identifier(),
        parameters(json),
        workgroupSize(json.get("workgroupSize")),
        shared == null ? 0 : shared.integer(0, Integer.MAX_VALUE),
        cooperative != null && cooperative.bool());
  }

  private static List<Parameter> parameters(JsonValue kernel) {
    JsonValue all = kernel.find("parameters");
    JsonValue bindings = kernel.find("bindings");
    JsonValue constants = kernel.find("constants");
    if ((all == null) == (bindings == null && constants == null)) {
      throw kernel.failure("must have either 'parameters' or 'bindings' and 'constants'");
    }
    List<Parameter> parameters = new ArrayList<>();
    Set<String> names = new HashSet<>();
    add(all, null, names, parameters);
    add(bindings, Kind.BUFFER, names, parameters);
    add(constants, Kind.CONSTANT, names, parameters);
    return parameters;
  }

  /** Adds the parameters of a list. If {@code kindOfAll} is null, each item has its own kind. */
  private static void add(
      @Nullable JsonValue list,
      @Nullable Kind kindOfAll,
      Set<String> names,
      List<Parameter> parameters) {
    if (list == null) {
      return;
    }
    for (JsonValue item : list.items()) {
      Kind kind = kindOfAll == null ? oneOf(Kind.values(), item.get("kind")) : kindOfAll;
      List<String> keys = new ArrayList<>(List.of("name", "type"));
      if (kindOfAll == null) {
        keys.add("kind");
      }
      if (kind == Kind.BUFFER) {
        keys.add("direction");
      } else if (kind == Kind.STRUCT) {
        keys.addAll(List.of("fields", "alignment"));
      }
      item.allow(keys.toArray(new String[0]));
      String name = item.get("name").identifier();
      if (!names.add(name)) {
        throw item.failure("has the name '" + name + "' of an earlier parameter");
      }
      if (kind == Kind.STRUCT) {
        parameters.add(Parameter.struct(name, StructReader.read(item)));
        continue;
      }
      parameters.add(
          new Parameter(
              name,
              kind,
              oneOf(ElementType.values(), item.get("type")),
              kind == Kind.BUFFER
                  ? oneOf(Direction.values(), item.get("direction"))
                  : Direction.IN));
    }
  }

  static <E extends Enum<E>> E oneOf(E[] values, JsonValue json) {
    String text = json.string();
    List<String> labels = new ArrayList<>();
    for (E value : values) {
      String label = value.name().toLowerCase(Locale.ROOT);
      if (label.equals(text)) {
        return value;
      }
      labels.add(label);
    }
    throw json.failure("is '" + text + "'; it must be one of " + String.join(", ", labels));
  }

  private static Workgroups workgroupSize(JsonValue json) {
    List<JsonValue> items = json.items();
    if (items.isEmpty() || items.size() > 3) {
      throw json.failure("has " + items.size() + " numbers; it must have 1 to 3");
    }
    int[] size = {1, 1, 1};
    long product = 1;
    for (int i = 0; i < items.size(); i++) {
      size[i] = items.get(i).integer(1, Integer.MAX_VALUE);
      product *= size[i];
      if (product > Integer.MAX_VALUE) {
        throw json.failure("makes more than " + Integer.MAX_VALUE + " work items");
      }
    }
    return new Workgroups(size[0], size[1], size[2]);
  }

  /** Reads a variant. If {@code hasObjects}, kernels in Java may be objects. */
  private static Variant variant(
      JsonValue json, Set<String> kernels, boolean hasObjects, boolean isPortable) {
    String format = json.get("format").string(FORMAT, FORMAT_RULE);
    if (format.equals(Variant.JAVA)) {
      json.allow("format", "class", "path");
      JsonValue path = json.find("path");
      JsonValue type = hasObjects ? json.find("class") : json.get("class");
      return new Variant(
          format,
          null,
          type == null ? null : type.string(CLASS_NAME, CLASS_RULE),
          path == null ? "" : path.string(PATH, PATH_RULE),
          null,
          Map.of(),
          Map.of(),
          Map.of(),
          isPortable);
    }
    json.allow("format", "file", "architecture", "entries", "options", "attributes");
    JsonValue architecture = json.find("architecture");
    Map<String, String> entries = strings(json.find("entries"));
    for (String kernel : entries.keySet()) {
      if (!kernels.contains(kernel)) {
        throw json.get("entries")
            .failure("names '" + kernel + "', which is not a kernel of this bundle");
      }
    }
    if (format.equals(Variant.CPP)) {
      entries.forEach((kernel, entry) -> checkEntry(json.get("entries").get(kernel), entry));
    }
    Map<String, List<String>> options = new LinkedHashMap<>();
    JsonValue given = json.find("options");
    if (given != null && given.isObject()) {
      given.members().forEach((compiler, list) -> options.put(compiler, options(list)));
      for (String compiler : options.keySet()) {
        if (!FORMAT.matcher(compiler).matches()) {
          throw given.failure("names the compiler '" + compiler + "'; " + FORMAT_RULE);
        }
      }
    } else if (given != null) {
      options.put(Variant.ALL_COMPILERS, options(given));
    }
    return new Variant(
        format,
        json.get("file").string(PATH, PATH_RULE),
        null,
        "",
        architecture == null ? null : architecture.string(NOT_EMPTY, "it must not be empty"),
        entries,
        options,
        strings(json.find("attributes")),
        isPortable);
  }

  private static void checkEntry(JsonValue json, String entry) {
    String refusal = EntryName.refusal(entry);
    if (refusal != null) {
      throw json.failure(refusal);
    }
  }

  private static List<String> options(JsonValue list) {
    List<String> options = new ArrayList<>();
    for (JsonValue item : list.items()) {
      options.add(item.string(NOT_EMPTY, "it must not be empty"));
    }
    return options;
  }

  private static Map<String, String> strings(@Nullable JsonValue object) {
    Map<String, String> strings = new LinkedHashMap<>();
    if (object != null) {
      object.members().forEach((key, value) -> strings.put(key, value.string()));
    }
    return strings;
  }
}
