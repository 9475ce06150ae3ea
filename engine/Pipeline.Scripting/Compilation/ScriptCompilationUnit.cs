using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

namespace Pipeline.Scripting.Compilation;

/// <summary>
/// One compilation: the user's texts, rewritten until every document value is known, checked and emitted.
/// </summary>
internal abstract class ScriptCompilationUnit
{
    private const int MaxPasses = 60;
    private const int MaxSourceLength = 256 * 1024;

    protected const string Usings =
        "using System; using System.Collections.Generic; using System.Globalization; using System.Linq; using System.Text; "
        + "using System.Text.RegularExpressions; using Pipeline.Scripting.Runtime; "
        + "using Regex = Pipeline.Scripting.Runtime.ScriptRegex;\n";

    private const string Modes = "System.Diagnostics.DebuggableAttribute.DebuggingModes.";

    // Compiled and run as for debugging, so that each statement keeps its place and an error its line. It costs nothing
    // that can be measured: a script runs few instructions compared with the code of its values, which is optimised.
    protected const string Debuggable =
        "[assembly: System.Diagnostics.Debuggable("
        + Modes
        + "Default | "
        + Modes
        + "IgnoreSymbolStoreSequencePoints | "
        + Modes
        + "DisableOptimizations)]\n";

    protected static readonly CSharpParseOptions Parsing = new(LanguageVersion.CSharp13, DocumentationMode.None);

    private static readonly Lazy<CSharpCompilation> Base = new(() =>
        CSharpCompilation.Create(
            "script",
            references: ScriptReferences.All,
            options: new CSharpCompilationOptions(
                OutputKind.DynamicallyLinkedLibrary,
                optimizationLevel: OptimizationLevel.Debug,
                concurrentBuild: false,
                deterministic: true,
                warningLevel: 0,
                allowUnsafe: false
            )
        )
    );

    private readonly List<MappedText> _texts;
    private readonly List<SyntaxTree> _trees = [];
    private readonly CancellationToken _cancellationToken;
    private CSharpCompilation _compilation = Base.Value;

    protected ScriptCompilationUnit(List<MappedText> texts, CancellationToken cancellationToken)
    {
        _cancellationToken = cancellationToken;
        _texts = texts;
    }

    protected IReadOnlyList<MappedText> Texts => _texts;

    protected IReadOnlyList<SyntaxTree> Trees => _trees;

    /// <summary>Whether a cast of a value to a number keeps null, as in an index, and is not an error.</summary>
    protected virtual bool CastsKeepNull => false;

    public (ScriptAssembly? Assembly, IReadOnlyList<ScriptError> Errors) Compile()
    {
        var large = _texts.Find(t => t.User.Length > MaxSourceLength);
        if (large is not null)
        {
            return (
                null,
                [
                    new ScriptError(
                        large.Name,
                        1,
                        1,
                        1,
                        1,
                        "SCRIPT001",
                        $"the script is longer than {MaxSourceLength} characters"
                    ),
                ]
            );
        }

        if (_texts.Select(t => ScriptNesting.FindBracket(t, Parsing)).FirstOrDefault(e => e is not null) is { } bracket)
            return (null, [bracket]);
        for (var i = 0; i < _texts.Count; i++)
            _trees.Add(Parse(i));
        if (
            _texts.Select((t, i) => ScriptNesting.FindNode(t, _trees[i])).FirstOrDefault(e => e is not null) is { } node
        )
        {
            return (null, [node]);
        }

        _compilation = _compilation.AddSyntaxTrees(_trees);
        var errors = new List<ScriptError>();
        Structure(errors);
        if (errors.Count == 0)
        {
            Rewrite(errors);
            Semantics(errors, onlyLines: null);
            if (errors.Count == 0)
                Meaning(errors);
        }
        else if (ReadsOnAfterSyntaxErrors)
        {
            // A syntax error hides the faults that depend on it; plain mistakes in other lines are reported at once.
            var lines = errors.Select(e => (e.Source, e.Line)).ToHashSet();
            var more = new List<ScriptError>();
            Rewrite(more);
            Semantics(more, onlyLines: lines);
            errors.AddRange(
                more.Where(e => e.Code is "CS0103" or "SCRIPT002" or "SCRIPT003" && !lines.Contains((e.Source, e.Line)))
            );
        }

        if (errors.Count > 0)
        {
            return (
                null,
                [
                    .. errors
                        .DistinctBy(e => (e.Source, e.Line, e.Column, e.Code))
                        .OrderBy(e => e.Source is not null)
                        .ThenBy(e => e.Source)
                        .ThenBy(e => e.Line)
                        .ThenBy(e => e.Column),
                ]
            );
        }

        Instrument();
        for (var i = 0; i < _texts.Count; i++)
        {
            var bounds = new BoundsInserter(_compilation.GetSemanticModel(_trees[i]), UserSpan(i)).Run(
                _trees[i].GetRoot(_cancellationToken)
            );
            if (bounds.Count > 0)
                Edit(i, bounds);
            var edits = new GuardInserter(_compilation.GetSemanticModel(_trees[i]), UserSpan(i)).Run(
                _trees[i].GetRoot(_cancellationToken)
            );
            if (edits.Count > 0)
                Edit(i, edits);
        }

        return Emit();
    }

    /// <summary>Inserts the counters besides the guards. Called only for texts without errors.</summary>
    protected virtual void Instrument() { }

    /// <summary>Whether plain mistakes in the rest of a text with syntax errors are reported.</summary>
    protected virtual bool ReadsOnAfterSyntaxErrors => true;

    /// <summary>Syntax errors, and text that would get out of what surrounds it.</summary>
    protected abstract void Structure(List<ScriptError> errors);

    /// <summary>Checks the rules beyond C#'s; called once everything binds.</summary>
    protected virtual void Meaning(List<ScriptError> errors) { }

    protected SemanticModel Model(int i) => _compilation.GetSemanticModel(_trees[i]);

    protected SyntaxNode Root(int i) => _trees[i].GetRoot(_cancellationToken);

    protected TextSpan UserSpan(int i) => TextSpan.FromBounds(_texts[i].UserStart, _texts[i].UserEnd);

    private SyntaxTree Parse(int i) =>
        CSharpSyntaxTree.ParseText(
            SourceText.From(_texts[i].Text, Encoding.UTF8),
            Parsing,
            $"s{i}.cs",
            _cancellationToken
        );

    protected void Edit(int i, List<MappedText.Edit> edits)
    {
        _texts[i].Apply(edits);
        var tree = Parse(i);
        _compilation = _compilation.ReplaceSyntaxTree(_trees[i], tree);
        _trees[i] = tree;
    }

    private void Rewrite(List<ScriptError> errors)
    {
        var found = new List<(TextSpan Span, string Code, string Message, string? Suggestion)>[_texts.Count];
        for (var pass = 0; pass < MaxPasses; pass++)
        {
            var changed = false;
            var compilation = _compilation;
            var trees = _trees.ToArray();
            for (var i = 0; i < trees.Length; i++)
            {
                _cancellationToken.ThrowIfCancellationRequested();
                found[i] = [];
                var edits = new ValueRewriter(
                    compilation.GetSemanticModel(trees[i]),
                    UserSpan(i),
                    found[i],
                    CastsKeepNull
                ).Run(trees[i].GetRoot(_cancellationToken));
                if (edits.Count == 0)
                    continue;
                Edit(i, edits);
                changed = true;
            }

            if (!changed)
                break;
        }

        for (var i = 0; i < _texts.Count; i++)
        {
            foreach (var (span, code, message, suggestion) in found[i])
                errors.Add(ScriptDiagnostics.Create(_texts[i], span, code, message, suggestion));
        }
    }

    private void Semantics(List<ScriptError> errors, HashSet<(string?, int)>? onlyLines)
    {
        for (var i = 0; i < _texts.Count; i++)
        {
            var model = _compilation.GetSemanticModel(_trees[i]);
            var refused = new List<(TextSpan Span, string Code, string Message, string? Suggestion)>();
            var root = _trees[i].GetRoot(_cancellationToken);
            new AllowedApi(model, UserSpan(i), refused).Check(root);
            new AllowedShapes(model, UserSpan(i), refused).Check(root);
            foreach (var (span, code, message, suggestion) in refused)
                errors.Add(ScriptDiagnostics.Create(_texts[i], span, code, message, suggestion));
            var own = errors
                .Where(e => e.Source == _texts[i].Name && e.Code.StartsWith("SCRIPT", StringComparison.Ordinal))
                .Select(e => (e.Line, e.Column))
                .ToHashSet();
            foreach (
                var diagnostic in model
                    .GetDiagnostics(cancellationToken: _cancellationToken)
                    .Where(d => d.Severity == DiagnosticSeverity.Error)
            )
            {
                var error = ScriptDiagnostics.Create(_texts[i], diagnostic, model);
                if (
                    onlyLines is null
                        ? !own.Contains((error.Line, error.Column))
                        : !onlyLines.Contains((error.Source, error.Line))
                )
                {
                    errors.Add(error);
                }
            }
        }
    }

    private (ScriptAssembly? Assembly, IReadOnlyList<ScriptError> Errors) Emit()
    {
        using var image = new MemoryStream();
        using var symbols = new MemoryStream();
        var result = _compilation.Emit(
            image,
            symbols,
            options: new EmitOptions(debugInformationFormat: DebugInformationFormat.PortablePdb),
            cancellationToken: _cancellationToken
        );
        if (!result.Success)
        {
            var errors = new List<ScriptError>();
            foreach (var diagnostic in result.Diagnostics.Where(d => d.Severity == DiagnosticSeverity.Error))
            {
                var i = diagnostic.Location.SourceTree is { } tree ? _trees.IndexOf(tree) : -1;
                errors.Add(
                    i >= 0
                        ? ScriptDiagnostics.Create(_texts[i], diagnostic, _compilation.GetSemanticModel(_trees[i]))
                        : new ScriptError(
                            null,
                            1,
                            1,
                            1,
                            1,
                            diagnostic.Id,
                            diagnostic.GetMessage(System.Globalization.CultureInfo.InvariantCulture)
                        )
                );
            }

            return (null, errors);
        }

        image.Position = 0;
        symbols.Position = 0;
        var texts = new Dictionary<string, MappedText>(StringComparer.Ordinal);
        for (var i = 0; i < _texts.Count; i++)
            texts[$"s{i}.cs"] = _texts[i];
        return (new ScriptAssembly(image, symbols, texts), []);
    }
}
