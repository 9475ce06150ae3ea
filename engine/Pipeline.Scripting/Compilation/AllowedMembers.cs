using System.Collections.Frozen;
using System.Resources;
using Microsoft.CodeAnalysis;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// The list of what scripts may use: <c>AllowedApi.txt</c>, each type and each member by name and parameters, in groups
/// with their reasons.
/// </summary>
/// <remarks>
/// A member that is not on the list is refused, so that a new framework version opens nothing. The names are those of
/// documentation comments.
/// </remarks>
internal static class AllowedMembers
{
    private static readonly Lazy<(FrozenSet<string> Types, FrozenSet<string> Members)> Listed = new(
        Read,
        LazyThreadSafetyMode.ExecutionAndPublication
    );

    /// <summary>Whether the type is on the list.</summary>
    public static bool Contains(INamedTypeSymbol type) =>
        type.OriginalDefinition.GetDocumentationCommentId() is { } id && Listed.Value.Types.Contains(id[2..]);

    /// <summary>
    /// Whether the member is on the list. Writing a property needs its own line: the name with <c>=</c>.
    /// </summary>
    public static bool Contains(ISymbol member, bool isWritten = false)
    {
        var definition = (member as IMethodSymbol)?.ReducedFrom ?? member;
        return definition.OriginalDefinition.GetDocumentationCommentId() is { } id
            && Listed.Value.Members.Contains(isWritten ? id[2..] + "=" : id[2..]);
    }

    /// <summary>
    /// Reads the list's lines: <c># group: reason</c>, a type's name, <c>+</c> members that are allowed, <c>-</c>
    /// members that are refused.
    /// </summary>
    public static IEnumerable<(char Kind, string Type, string[] Names)> Lines()
    {
        using var stream =
            typeof(AllowedMembers).Assembly.GetManifestResourceStream("Pipeline.Scripting.AllowedApi.txt")
            ?? throw new MissingManifestResourceException(
                "The list of what scripts may use is missing from this assembly."
            );
        using var reader = new StreamReader(stream);
        var type = "";
        while (reader.ReadLine() is { } line)
        {
            if (line.Length == 0)
                continue;
            if (line[0] is '+' or '-')
            {
                yield return (line[0], type, line[2..].Split(' '));
                continue;
            }

            if (line[0] != '#')
                type = line;
            yield return (line[0] == '#' ? '#' : 'T', type, line[0] == '#' ? [line[1..].Trim()] : []);
        }
    }

    private static (FrozenSet<string> Types, FrozenSet<string> Members) Read()
    {
        var types = new HashSet<string>(StringComparer.Ordinal);
        var members = new HashSet<string>(StringComparer.Ordinal);
        foreach (var (kind, type, names) in Lines())
        {
            if (kind == 'T')
                types.Add(type);
            if (kind != '+')
                continue;
            foreach (var name in names)
                members.Add($"{type}.{name}");
        }

        return (types.ToFrozenSet(StringComparer.Ordinal), members.ToFrozenSet(StringComparer.Ordinal));
    }
}
