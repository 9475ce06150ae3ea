using System.Globalization;
using System.Text;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Pipeline.TestKit.Files;

namespace Pipeline.Tests.Rules;

/// <summary>
/// Which folders of one project use which others, read from what the compiler makes of each name in the code.
/// A folder is a node, the project's root among them. A member counts for the file that declares it, so a part of a
/// partial class belongs to the folder that it lies in; a type counts for the file that is named after it.
/// </summary>
internal sealed class FolderGraph
{
    private const string Usings =
        "global using System; global using System.Collections.Generic; global using System.IO; global using System.Linq; "
        + "global using System.Net.Http; global using System.Threading; global using System.Threading.Tasks;";

    private static readonly Lazy<PortableExecutableReference[]> Assemblies = new(() =>
        [
            .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
                .Split(Path.PathSeparator)
                .Where(File.Exists)
                .Select(f => MetadataReference.CreateFromFile(f)),
        ]
    );

    private readonly SortedDictionary<(string From, string To), SortedDictionary<string, int>> _uses = [];

    private FolderGraph(string project, IEnumerable<string> folders)
    {
        Project = project;
        Folders = [.. folders.Distinct().Order(StringComparer.Ordinal)];
    }

    public string Project { get; }

    /// <summary>Folders that hold code; the root is a dot.</summary>
    public IReadOnlyList<string> Folders { get; }

    /// <summary>How many names in the code were looked up, and how many of them the compiler did not know.</summary>
    public (int Known, int Unknown) Names { get; private set; }

    /// <summary>The graph of a project whose file is given.</summary>
    public static FolderGraph Read(string projectFile)
    {
        var root = Path.GetDirectoryName(projectFile)!;
        var sources = RepositoryTree
            .Files(".cs", RepositoryTree.Relative(root))
            .Select(f => (Path.GetRelativePath(root, f).Replace('\\', '/'), File.ReadAllText(f)));
        var usings = XDocument
            .Load(projectFile)
            .Descendants("Using")
            .Select(u => $" global using {(string?)u.Attribute("Include")};");
        return Read(Path.GetFileNameWithoutExtension(projectFile), sources, string.Concat(usings));
    }

    /// <summary>The graph of sources, each named by its path from the project's root.</summary>
    public static FolderGraph Read(string project, IEnumerable<(string Path, string Text)> sources, string usings = "")
    {
        var options = new CSharpParseOptions(LanguageVersion.Preview, DocumentationMode.None);
        var trees = sources
            .AsParallel()
            .AsOrdered()
            .Select(s => CSharpSyntaxTree.ParseText(s.Text, options, s.Path))
            .ToList();
        var compilation = CSharpCompilation.Create(
            project,
            [.. trees, CSharpSyntaxTree.ParseText(Usings + usings, options)],
            References(project),
            new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary,
                allowUnsafe: true,
                nullableContextOptions: NullableContextOptions.Disable
            )
        );

        var graph = new FolderGraph(project, trees.Select(t => FolderOf(t.FilePath)));
        foreach (var (known, unknown, uses) in trees.AsParallel().Select(t => UsesOf(t, compilation)).ToList())
        {
            graph.Names = (graph.Names.Known + known, graph.Names.Unknown + unknown);
            foreach (var (file, target, name) in uses)
            {
                var arrow = (FolderOf(file), FolderOf(target));
                if (!graph._uses.TryGetValue(arrow, out var names))
                    graph._uses[arrow] = names = new(StringComparer.Ordinal);
                var use = $"{file} uses {name} of {target}";
                names[use] = names.GetValueOrDefault(use) + 1;
            }
        }

        return graph;
    }

    /// <summary>Sets of folders that use one another in a cycle; the largest first.</summary>
    public IReadOnlyList<IReadOnlyList<string>> Cycles()
    {
        var below = Folders.ToDictionary(f => f, Reached, StringComparer.Ordinal);
        return
        [
            .. Folders
                .Where(f => below[f].Contains(f))
                .GroupBy(f => string.Join('|', below[f].Where(g => below[g].Contains(f)).Order(StringComparer.Ordinal)))
                .Select(g => (IReadOnlyList<string>)[.. g])
                .OrderByDescending(g => g.Count),
        ];
    }

    /// <summary>The arrows, one folder a line, and for each cycle the names that hold it together.</summary>
    public string Describe(int namesOfArrow = 6)
    {
        var text = new StringBuilder();
        var cycles = Cycles();
        text.AppendLine(
            CultureInfo.InvariantCulture,
            $"{Project}: {Folders.Count} folders, {cycles.Sum(c => c.Count)} in cycles"
        );
        foreach (var folder in Folders)
        {
            var targets = _uses.Keys.Where(u => u.From == folder).Select(u => u.To);
            text.AppendLine(CultureInfo.InvariantCulture, $"  {folder} -> {string.Join(", ", targets)}");
        }

        foreach (var cycle in cycles)
        {
            text.AppendLine(CultureInfo.InvariantCulture, $"  cycle of {cycle.Count}: {string.Join(", ", cycle)}");
            foreach (
                var (arrow, names) in _uses
                    .Where(u => cycle.Contains(u.Key.From) && cycle.Contains(u.Key.To))
                    .OrderBy(u => u.Value.Values.Sum())
            )
            {
                text.AppendLine(
                    CultureInfo.InvariantCulture,
                    $"    {arrow.From} -> {arrow.To}: {names.Values.Sum()} uses"
                );
                foreach (var name in names.Keys.Take(namesOfArrow))
                    text.AppendLine("      " + name);
            }
        }

        return text.ToString();
    }

    private HashSet<string> Reached(string folder)
    {
        var reached = new HashSet<string>(StringComparer.Ordinal);
        var open = new Stack<string>([folder]);
        while (open.TryPop(out var next))
        {
            foreach (var (_, to) in _uses.Keys.Where(u => u.From == next))
            {
                if (reached.Add(to))
                    open.Push(to);
            }
        }

        return reached;
    }

    private static (int Known, int Unknown, List<(string File, string Target, string Name)> Uses) UsesOf(
        SyntaxTree tree,
        CSharpCompilation compilation
    )
    {
        var model = compilation.GetSemanticModel(tree, ignoreAccessibility: true);
        var (known, unknown) = (0, 0);
        var uses = new List<(string, string, string)>();
        foreach (var name in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>())
        {
            var info = model.GetSymbolInfo(name);
            var symbol = info.Symbol ?? info.CandidateSymbols.FirstOrDefault();
            if (symbol is null)
            {
                unknown += name.Identifier.ValueText == "var" || name.IsKind(SyntaxKind.NameColon) ? 0 : 1;
                continue;
            }

            known++;
            if (HomeOf(symbol) is { } home && FolderOf(home) != FolderOf(tree.FilePath))
                uses.Add((tree.FilePath, home, NameOf(symbol)));
        }

        return (known, unknown, uses);
    }

    /// <summary>
    /// The file of this project that declares a symbol; null for one of another project, a local or a namespace.
    /// </summary>
    private static string? HomeOf(ISymbol symbol)
    {
        if (symbol is IMethodSymbol method)
        {
            // A constructor is a use of its type: which part declares it is of no matter to the caller.
            symbol =
                method.MethodKind is MethodKind.Constructor
                    ? method.ContainingType
                    : (method.ReducedFrom ?? method).OriginalDefinition;
        }

        if (symbol is not (INamedTypeSymbol or IMethodSymbol or IPropertySymbol or IFieldSymbol or IEventSymbol))
            return null;
        var files = symbol
            .OriginalDefinition.DeclaringSyntaxReferences.Select(r => r.SyntaxTree.FilePath)
            .Where(f => f.Length > 0)
            .ToList();
        return files.Find(f => Path.GetFileNameWithoutExtension(f) == symbol.Name) ?? files.FirstOrDefault();
    }

    private static string NameOf(ISymbol symbol) =>
        symbol is INamedTypeSymbol ? symbol.Name : $"{symbol.ContainingType?.Name}.{symbol.Name}";

    private static string FolderOf(string file) =>
        Path.GetDirectoryName(file) is { Length: > 0 } folder ? folder.Replace('\\', '/') : ".";

    private static IEnumerable<MetadataReference> References(string project) =>
        Assemblies.Value.Where(r => Path.GetFileNameWithoutExtension(r.FilePath) != project);
}
