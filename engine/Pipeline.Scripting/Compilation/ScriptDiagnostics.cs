using System.Globalization;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Pipeline.Scripting.Compilation;

/// <summary>Turns the compiler's diagnostics into errors at places of the user's text, in the user's words.</summary>
internal static partial class ScriptDiagnostics
{
    public static ScriptError Create(MappedText text, TextSpan span, string code, string message, string? suggestion)
    {
        var start = System.Math.Min(text.ToUser(span.Start), text.User.Length);
        var end = System.Math.Clamp(text.EndToUser(span.End), start, text.User.Length);
        return AtUser(text, TextSpan.FromBounds(start, end), code, message, suggestion);
    }

    /// <summary>An error at a span of the user's own text.</summary>
    public static ScriptError AtUser(MappedText text, TextSpan span, string code, string message, string? suggestion)
    {
        var (start, end) = (span.Start, span.End);
        var (line, column) = text.LineOf(start);
        var (endLine, endColumn) = text.LineOf(end);
        return new ScriptError(text.Name, line, column, endLine, endColumn, code, message, suggestion);
    }

    public static ScriptError Create(MappedText text, Diagnostic diagnostic, SemanticModel model)
    {
        var span = diagnostic.Location.SourceSpan;
        return Create(text, span, diagnostic.Id, Message(diagnostic), Suggest(diagnostic, model, span));
    }

    private static string Message(Diagnostic diagnostic)
    {
        var message = diagnostic.GetMessage(CultureInfo.InvariantCulture);
        if (diagnostic.Id == "CS1061" && MissingMember().Match(message) is { Success: true } missing)
            return $"a document's value has no method '{missing.Groups[1].Value}'";
        if (diagnostic.Id == "CS0127")
            return "a transform returns nothing: write 'return;' and give values to send(…)";
        var hint = message.IndexOf(" (are you missing", StringComparison.Ordinal);
        if (hint >= 0)
            message = message[..hint] + ", or may not be used in a script";
        return message
            .Replace("'ScriptValue'", "a document's value", StringComparison.Ordinal)
            .Replace("Script.RunScript()", "the script", StringComparison.Ordinal);
    }

    private static string? Suggest(Diagnostic diagnostic, SemanticModel model, TextSpan span)
    {
        if (
            diagnostic.Id is "CS1501" or "CS7036"
            && model.SyntaxTree.GetRoot().FindNode(span).ToString().Contains("LoadDocument", StringComparison.Ordinal)
        )
        {
            return "name the collection too: LoadDocument(id, \"Companies\")";
        }

        if (diagnostic.Id is not ("CS0103" or "CS1061" or "CS0117" or "CS0246"))
            return null;
        var node = model.SyntaxTree.GetRoot().FindNode(span, getInnermostNodeForTie: true);
        if (node is not SimpleNameSyntax name)
            return null;
        var wanted = name.Identifier.Text;
        INamespaceOrTypeSymbol? container = null;
        if (name.Parent is MemberAccessExpressionSyntax access && access.Name == name)
        {
            container =
                model.GetTypeInfo(access.Expression).Type
                ?? model.GetSymbolInfo(access.Expression).Symbol as INamedTypeSymbol;
        }

        string? best = null;
        var distance = System.Math.Max(1, wanted.Length / 3) + 1;
        foreach (var symbol in model.LookupSymbols(span.Start, container, includeReducedExtensionMethods: true))
        {
            if (!symbol.CanBeReferencedByName || symbol is INamespaceSymbol || symbol.Name == wanted)
                continue;
            var d = Distance(wanted, symbol.Name);
            if (d < distance || (d == distance && best is not null && string.CompareOrdinal(symbol.Name, best) < 0))
            {
                distance = d;
                best = symbol.Name;
            }
        }

        return best is null ? null : $"did you mean '{best}'?";
    }

    /// <summary>Edits between two names, a swap of neighbours being one (Damerau, optimal string alignment).</summary>
    internal static int Distance(string a, string b)
    {
        if (a.Length > 64 || b.Length > 64)
            return int.MaxValue;
        var d = new int[a.Length + 1, b.Length + 1];
        for (var i = 0; i <= a.Length; i++)
            d[i, 0] = i;
        for (var j = 0; j <= b.Length; j++)
            d[0, j] = j;
        for (var i = 1; i <= a.Length; i++)
        {
            for (var j = 1; j <= b.Length; j++)
            {
                var change = char.ToLowerInvariant(a[i - 1]) == char.ToLowerInvariant(b[j - 1]) ? 0 : 1;
                d[i, j] = System.Math.Min(System.Math.Min(d[i - 1, j] + 1, d[i, j - 1] + 1), d[i - 1, j - 1] + change);
                if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                    d[i, j] = System.Math.Min(d[i, j], d[i - 2, j - 2] + 1);
            }
        }

        return d[a.Length, b.Length];
    }

    [GeneratedRegex("^'ScriptValue' does not contain a definition for '([^']+)'")]
    private static partial Regex MissingMember();
}
