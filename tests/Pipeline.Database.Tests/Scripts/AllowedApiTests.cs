using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Pipeline.Scripting.Compilation;
using Pipeline.TestKit.Files;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <summary>
/// Walks everything that a script could name of the listed types, and compares it with <c>AllowedApi.txt</c>. A new
/// framework version adds members: each is refused until a person has put it on the list. PIPELINE_ACCEPT_API=1 writes
/// the new ones into the file as refused.
/// </summary>
public sealed class AllowedApiTests
{
    private const string File = "engine/Pipeline.Scripting/Compilation/AllowedApi.txt";

    private static readonly string[] Refused =
    [
        "System.Type",
        "System.Reflection",
        "System.Runtime",
        "System.IO",
        "System.Threading",
        "System.Diagnostics",
        "System.IntPtr",
        "System.UIntPtr",
        "System.GC",
        "System.AppContext",
        "System.Activator",
    ];

    [Fact]
    public void Every_member_of_an_allowed_type_is_on_the_list()
    {
        var compilation = CSharpCompilation.Create("walk", references: ScriptReferences.All);
        var missing = new List<string>();
        var gone = new List<string>();
        var text = new StringBuilder();
        foreach (var entry in AllowedMembers.Lines().ToLookup(l => l.Kind == '#' ? "# " + l.Names[0] : l.Type))
        {
            text.Append(entry.Key).Append('\n');
            if (entry.Key[0] == '#')
                continue;
            var type = (INamedTypeSymbol?)
                DocumentationCommentId.GetFirstSymbolForDeclarationId("T:" + entry.Key, compilation);
            var listed = entry
                .Where(l => l.Kind is '+' or '-')
                .SelectMany(l => l.Names.Select(n => (n, l.Kind)))
                .ToDictionary(n => n.n, n => n.Kind, StringComparer.Ordinal);
            var members = type is null ? [] : Members(type).ToHashSet(StringComparer.Ordinal);
            gone.AddRange(
                listed
                    .Keys.Where(k => !members.Contains(k))
                    .Select(k => $"{entry.Key}.{k}")
                    .Concat(type is null ? [entry.Key] : [])
            );
            missing.AddRange(members.Where(m => !listed.ContainsKey(m)).Select(m => $"{entry.Key}.{m}"));
            Write(text, members.Select(m => (m, listed.GetValueOrDefault(m, '-'))));
        }

        if (Environment.GetEnvironmentVariable("PIPELINE_ACCEPT_API") == "1")
        {
            System.IO.File.WriteAllText(Path.Combine(RepositoryTree.Root, File), text.ToString());
        }
        else
        {
            Assert.True(
                missing.Count + gone.Count == 0,
                $"{File} is not what the framework has. PIPELINE_ACCEPT_API=1 adds new members as refused ('-').\nnot on the list: {string.Join("\n  ", missing)}\nno longer there: {string.Join("\n  ", gone)}"
            );
        }
    }

    /// <summary>
    /// What is allowed reaches no address, no type object, no file and no thread, whoever writes the list.
    /// </summary>
    [Fact]
    public void Nothing_on_the_list_reaches_memory_or_the_process()
    {
        var compilation = CSharpCompilation.Create("walk", references: ScriptReferences.All);
        var bad = new List<string>();
        foreach (var (_, name, names) in AllowedMembers.Lines().Where(l => l.Kind == '+'))
        {
            var type = (INamedTypeSymbol)
                DocumentationCommentId.GetFirstSymbolForDeclarationId("T:" + name, compilation)!;
            foreach (var symbol in type.GetMembers().Where(m => names.Contains(Name(type, m), StringComparer.Ordinal)))
            {
                var types = symbol switch
                {
                    IMethodSymbol method => method.Parameters.Select(p => p.Type).Append(method.ReturnType),
                    IPropertySymbol property => property.Parameters.Select(p => p.Type).Append(property.Type),
                    IFieldSymbol field => [field.Type],
                    _ => [],
                };
                if (
                    symbol is IMethodSymbol { Parameters: var parameters }
                        && parameters.Any(p =>
                            p.RefKind == RefKind.Ref
                            && !p.Type.Name.EndsWith("InterpolatedStringHandler", StringComparison.Ordinal)
                        )
                    || types.Any(t =>
                        t.TypeKind is TypeKind.Pointer or TypeKind.FunctionPointer
                        || Refused.Any(r =>
                            t.ToDisplayString() == r
                            || t.ToDisplayString().StartsWith(r + ".", StringComparison.Ordinal)
                        )
                    )
                )
                {
                    bad.Add($"{name}.{symbol.Name}");
                }
            }
        }

        Assert.Empty(bad);
    }

    [Fact]
    public void Every_group_says_why() =>
        Assert.All(
            AllowedMembers.Lines().Where(l => l.Kind == '#'),
            l => Assert.Matches("^[A-Z][^:]+: .{20,}[.]$", l.Names[0])
        );

    private static IEnumerable<string> Members(INamedTypeSymbol type)
    {
        foreach (var member in type.GetMembers())
        {
            if (
                member.DeclaredAccessibility
                    is not (Accessibility.Public or Accessibility.Protected or Accessibility.ProtectedOrInternal)
                || member
                    is INamedTypeSymbol
                        or IMethodSymbol { AssociatedSymbol: not null }
                        or IMethodSymbol { MethodKind: MethodKind.Destructor or MethodKind.StaticConstructor }
            )
            {
                continue;
            }

            var id = Name(type, member);
            yield return id;
            if (member is IPropertySymbol { SetMethod.DeclaredAccessibility: Accessibility.Public })
                yield return id + "=";
        }
    }

    private static string Name(INamedTypeSymbol type, ISymbol member) =>
        member.GetDocumentationCommentId() is { } id ? id[(type.GetDocumentationCommentId()!.Length + 1)..] : "";

    private static void Write(StringBuilder text, IEnumerable<(string Name, char Kind)> members)
    {
        foreach (
            var line in members
                .OrderBy(m => m.Kind)
                .ThenBy(m => m.Name, StringComparer.Ordinal)
                .GroupBy(m => (m.Kind, Name: m.Name.Split('(', '=', '~', '`')[0]))
        )
        {
            text.Append(line.Key.Kind).Append(' ').AppendJoin(' ', line.Select(m => m.Name)).Append('\n');
        }
    }
}
