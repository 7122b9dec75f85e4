import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;

/**
 * Writes what javac knows of a folder's Java as a truth file (truth.go tells its fields). Nothing is generated, no
 * processor runs, and what other libraries would say stays unknown.
 *
 * <p>java Javac.java FOLDER >truth.json
 */
public class Javac {
  record Def(String path, long line, String name, String kind) {}

  record Use(String path, long line, String name, boolean call, int to) {}

  static final Map<Element, Integer> numbers = new HashMap<>();
  static final List<Def> defs = new ArrayList<>();
  static final List<Use> uses = new ArrayList<>();
  static final Set<List<Integer>> over = new LinkedHashSet<>();

  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]).toRealPath();
    List<Path> files;
    try (Stream<Path> all = Files.walk(root)) {
      files = all.filter(p -> p.toString().endsWith(".java") && Files.isRegularFile(p)).sorted().toList();
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(d -> {}, null, null);
    JavacTask task =
        (JavacTask) compiler.getTask(null, manager, d -> {}, List.of("-proc:none", "-Xmaxerrs", "1"), null,
            manager.getJavaFileObjectsFromPaths(files));
    List<CompilationUnitTree> units = new ArrayList<>();
    task.parse().forEach(units::add);
    task.analyze();
    Trees trees = Trees.instance(task);
    Types types = task.getTypes();
    Elements elements = task.getElements();
    for (CompilationUnitTree unit : units) new Definitions(unit, trees, root).scan(unit, null);
    for (CompilationUnitTree unit : units) new Uses(unit, trees, root).scan(unit, null);
    for (Element e : List.copyOf(numbers.keySet())) overrides(e, types, elements);

    PrintStream out = new PrintStream(new BufferedOutputStream(System.out), false, "UTF-8");
    out.print("{\"files\":[" + files.stream().map(p -> quote(relative(root, p))).collect(Collectors.joining(",")) + "],\"defs\":[");
    out.print(defs.stream().map(d -> String.format("{\"path\":%s,\"line\":%d,\"name\":%s,\"kind\":\"%s\"}",
        quote(d.path), d.line, quote(d.name), d.kind)).collect(Collectors.joining(",")));
    out.print("],\"uses\":[");
    out.print(uses.stream().map(u -> String.format("{\"path\":%s,\"line\":%d,\"name\":%s,\"call\":%b,\"to\":%s}",
        quote(u.path), u.line, quote(u.name), u.call, u.to < 0 ? "null" : "[" + u.to + "]")).collect(Collectors.joining(",")));
    out.print("],\"over\":" + over + "}");
    out.flush();
  }

  static String relative(Path root, Path p) {
    return root.relativize(p).toString().replace(File.separatorChar, '/');
  }

  static String quote(String s) {
    return '"' + s.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Notes which methods a method overrides, also those of bases of bases. */
  static void overrides(Element e, Types types, Elements elements) {
    if (e.getKind() != ElementKind.METHOD) return;
    TypeElement owner = (TypeElement) e.getEnclosingElement();
    Deque<TypeMirror> queue = new ArrayDeque<>(types.directSupertypes(owner.asType()));
    Set<Element> seen = new HashSet<>();
    while (!queue.isEmpty()) {
      TypeMirror up = queue.poll();
      queue.addAll(types.directSupertypes(up));
      Element type = types.asElement(up);
      if (type == null || !seen.add(type)) continue;
      for (Element m : type.getEnclosedElements()) {
        if (numbers.containsKey(m) && m.getKind() == ElementKind.METHOD
            && elements.overrides((ExecutableElement) e, (ExecutableElement) m, owner)) {
          over.add(List.of(numbers.get(e), numbers.get(m)));
        }
      }
    }
  }

  /** What both passes know of the file they are in. */
  static class Reader extends TreePathScanner<Void, Void> {
    final CompilationUnitTree unit;
    final Trees trees;
    final SourcePositions positions;
    final String path;
    final CharSequence text;

    Reader(CompilationUnitTree unit, Trees trees, Path root) throws IOException {
      this.unit = unit;
      this.trees = trees;
      positions = trees.getSourcePositions();
      path = relative(root, Path.of(unit.getSourceFile().toUri()));
      text = unit.getSourceFile().getCharContent(true);
    }

    /** The line on which a name stands first, from an offset on; of a generated thing, -1. */
    long line(long from, long end, String name) {
      for (long i = from; i >= 0 && i + name.length() <= end; i++) {
        if (text.subSequence((int) i, (int) i + name.length()).toString().equals(name)
            && (i == 0 || !Character.isJavaIdentifierPart(text.charAt((int) i - 1)))
            && (i + name.length() >= text.length() || !Character.isJavaIdentifierPart(text.charAt((int) i + name.length())))) {
          return unit.getLineMap().getLineNumber(i);
        }
      }
      return -1;
    }

    long afterModifiers(ModifiersTree modifiers, Tree whole) {
      long end = positions.getEndPosition(unit, modifiers);
      return end >= 0 ? end : positions.getStartPosition(unit, whole);
    }
  }

  static class Definitions extends Reader {
    Definitions(CompilationUnitTree unit, Trees trees, Path root) throws IOException {
      super(unit, trees, root);
    }

    void note(Tree node, ModifiersTree modifiers, String name, String kind) {
      Element e = trees.getElement(getCurrentPath());
      long line = line(afterModifiers(modifiers, node), positions.getEndPosition(unit, node), name);
      if (e == null || line < 0 || name.isEmpty()) return;
      numbers.put(e, defs.size());
      defs.add(new Def(path, line, name, kind));
    }

    @Override public Void visitClass(ClassTree node, Void p) {
      note(node, node.getModifiers(), node.getSimpleName().toString(), "class");
      return super.visitClass(node, p);
    }

    @Override public Void visitMethod(MethodTree node, Void p) {
      Element e = trees.getElement(getCurrentPath());
      boolean made = e != null && e.getKind() == ElementKind.CONSTRUCTOR;
      String name = made ? e.getEnclosingElement().getSimpleName().toString() : node.getName().toString();
      boolean written = positions.getEndPosition(unit, node) >= 0;
      if (written) note(node, node.getModifiers(), name, made ? "constructor" : "method");
      return super.visitMethod(node, p);
    }

    @Override public Void visitVariable(VariableTree node, Void p) {
      Element e = trees.getElement(getCurrentPath());
      if (e != null && (e.getKind() == ElementKind.FIELD || e.getKind() == ElementKind.ENUM_CONSTANT)) {
        note(node, node.getModifiers(), node.getName().toString(), e.getKind() == ElementKind.FIELD ? "field" : "member");
      }
      return super.visitVariable(node, p);
    }
  }

  static class Uses extends Reader {
    Uses(CompilationUnitTree unit, Trees trees, Path root) throws IOException {
      super(unit, trees, root);
    }

    @Override public Void visitImport(ImportTree node, Void p) {
      return null; // an edge between files, not a use
    }

    void use(Tree node, long from, String name, boolean member) {
      Element e = trees.getElement(getCurrentPath());
      long line = line(from, text.length(), name);
      Tree parent = getCurrentPath().getParentPath().getLeaf();
      boolean call = parent instanceof MethodInvocationTree m && m.getMethodSelect() == node;
      boolean unknown = e == null || e.asType().getKind() == TypeKind.ERROR;
      if (unknown && member) uses.add(new Use(path, line, name, call, -1));
      Integer to = e == null ? null : numbers.get(e);
      if (to != null) uses.add(new Use(path, line, name, call, to));
    }

    @Override public Void visitIdentifier(IdentifierTree node, Void p) {
      String name = node.getName().toString();
      if (!name.equals("this") && !name.equals("super")) use(node, positions.getStartPosition(unit, node), name, false);
      return super.visitIdentifier(node, p);
    }

    @Override public Void visitMemberSelect(MemberSelectTree node, Void p) {
      use(node, positions.getEndPosition(unit, node.getExpression()), node.getIdentifier().toString(), true);
      return super.visitMemberSelect(node, p);
    }

    @Override public Void visitMemberReference(MemberReferenceTree node, Void p) {
      use(node, positions.getEndPosition(unit, node.getQualifierExpression()), node.getName().toString(), true);
      return super.visitMemberReference(node, p);
    }

    @Override public Void visitNewClass(NewClassTree node, Void p) {
      Element e = trees.getElement(getCurrentPath());
      Integer to = e == null ? null : numbers.get(e);
      if (to != null) {
        String name = e.getEnclosingElement().getSimpleName().toString();
        uses.add(new Use(path, line(positions.getStartPosition(unit, node), text.length(), name), name, true, to));
      }
      return super.visitNewClass(node, p);
    }
  }
}
