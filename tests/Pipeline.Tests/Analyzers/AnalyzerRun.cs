using System.Collections.Immutable;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;
using Pipeline.Client.Analyzers;
using Xunit;

namespace Pipeline.Tests.Analyzers;

/// <summary>
/// Compiles a source with the analyzers. Each line that must be reported ends with the rule: <c>// PIPE001</c>.
/// </summary>
internal static partial class AnalyzerRun
{
    private const string Usings = """
        global using System;
        global using System.Collections.Generic;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        global using Pipeline.Client;
        global using Pipeline.Etl.Transforms;
        """;

    private static readonly ImmutableArray<MetadataReference> References =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!)
            .Split(Path.PathSeparator)
            .Where(f => f.EndsWith(".dll", StringComparison.Ordinal))
            .Select(f => MetadataReference.CreateFromFile(f)),
    ];

    private static readonly ImmutableArray<DiagnosticAnalyzer> Analyzers =
    [
        new TransformAnalyzer(),
        new SessionAnalyzer(),
        new QueryAnalyzer(),
    ];

    /// <summary>Requires that exactly the marked lines are reported.</summary>
    /// <returns>What was reported, in the order of the lines.</returns>
    public static async Task<IReadOnlyList<Diagnostic>> ExpectAsync(string source, bool isProgram = false)
    {
        var compilation = CSharpCompilation.Create(
            "checked",
            [CSharpSyntaxTree.ParseText(source), CSharpSyntaxTree.ParseText(Usings)],
            References,
            new CSharpCompilationOptions(
                isProgram ? OutputKind.ConsoleApplication : OutputKind.DynamicallyLinkedLibrary,
                nullableContextOptions: NullableContextOptions.Enable
            )
        );
        Assert.Empty(compilation.GetDiagnostics().Where(d => d.Severity == DiagnosticSeverity.Error));
        var reported = await compilation.WithAnalyzers(Analyzers).GetAnalyzerDiagnosticsAsync();
        var lines = source.ReplaceLineEndings("\n").Split('\n');
        var expected = lines
            .SelectMany((line, i) => Mark().Matches(line).Select(m => (Line: i + 1, Rule: m.Value)))
            .ToList();
        var found = reported.OrderBy(d => d.Location.SourceSpan.Start).ToList();
        Assert.Equal(
            expected,
            found.Select(d => (Line: d.Location.GetLineSpan().StartLinePosition.Line + 1, Rule: d.Id))
        );
        return found;
    }

    [GeneratedRegex(@"(?<=//.*)PIPE\d\d\d")]
    private static partial Regex Mark();
}
