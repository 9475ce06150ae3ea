using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Pipeline.Scripting;

/// <summary>Finds the destinations that C# transforms name.</summary>
public static class ScriptDestinations
{
    /// <summary>
    /// The destinations that calls of <c>send</c> give as literal text, in the order of the script. Computed names are
    /// not found.
    /// </summary>
    /// <param name="source">A transform that compiles.</param>
    public static IReadOnlyList<ScriptDestination> Find(string source)
    {
        ArgumentNullException.ThrowIfNull(source);
        var tree = CSharpSyntaxTree.ParseText(source, new CSharpParseOptions(kind: SourceCodeKind.Script));
        var found = new List<ScriptDestination>();
        foreach (var call in tree.GetRoot().DescendantNodes().OfType<InvocationExpressionSyntax>())
        {
            if (
                call.Expression is not IdentifierNameSyntax { Identifier.Text: "send" }
                || call.ArgumentList.Arguments is not [var first, ..] arguments
            )
            {
                continue;
            }

            var named = arguments.FirstOrDefault(a => a.NameColon?.Name.Identifier.Text == "destination");
            if (
                (named ?? (first.NameColon is null ? first : null))?.Expression
                is not LiteralExpressionSyntax { Token.Value: string name } literal
            )
            {
                continue;
            }

            var place = literal.GetLocation().GetLineSpan().StartLinePosition;
            found.Add(new ScriptDestination(name, place.Line + 1, place.Character + 1));
        }
        return found;
    }
}

/// <summary>A destination that a script names.</summary>
/// <param name="Name">The name.</param>
/// <param name="Line">The line of the literal, from 1.</param>
/// <param name="Column">The column of the literal in UTF-16 units, from 1.</param>
public readonly record struct ScriptDestination(string Name, int Line, int Column);
