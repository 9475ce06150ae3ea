using System.Text.RegularExpressions;
using Acornima.Ast;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;

namespace Pipeline.JavaScript;

/// <summary>
/// An index definition in JavaScript: <c>map('Orders', o => ({ … }))</c>, several of them, and
/// <c>groupBy(…).aggregate(…)</c>. Thread-safe; each run has a separate engine.
/// </summary>
internal sealed partial class JavaScriptIndex : IIndexMapper
{
    private readonly IReadOnlyList<(string? Name, string Text)> _texts;
    private readonly bool _isFresh;

    /// <exception cref="ScriptRuntimeException">The definition fails before the first document.</exception>
    public JavaScriptIndex(
        IReadOnlyList<(string? Name, string Text)> texts,
        bool isGrouped,
        IReadOnlyList<string> fields
    )
    {
        _texts = texts;
        string[] loaded =
        [
            .. texts
                .SelectMany(t => Loads().Matches(t.Text))
                .Select(m => m.Groups[1].Value)
                .Distinct(StringComparer.OrdinalIgnoreCase),
        ];
        _isFresh = !texts.All(t => IsStateless(JavaScriptCompiler.Parse(t.Text)));
        using var trial = new JavaScriptIndexRun(texts, isFresh: false, [], null);
        if (trial.Maps.Count == 0)
            throw new ScriptRuntimeException("the definition calls map(collection, function) nowhere", "map", 1, 1);
        if (isGrouped && !trial.IsGrouped)
            throw new ScriptRuntimeException("the reduce is groupBy(key).aggregate(function)", "reduce", 1, 1);
        Outline = new IndexOutline
        {
            Collections = trial.Maps.Any(m => m.Collection is null)
                ? null
                : [.. trial.Maps.Select(m => m.Collection!).Distinct(StringComparer.OrdinalIgnoreCase)],
            LoadedCollections = loaded,
            Fields = fields,
            IsGrouped = isGrouped,
            HasDynamicFields = true,
            MayRepeat = !isGrouped,
        };
    }

    /// <inheritdoc/>
    public IndexOutline Outline { get; }

    /// <inheritdoc/>
    public IIndexMapRun NewRun(IScriptDocuments documents) =>
        new JavaScriptIndexRun(_texts, _isFresh, Outline.LoadedCollections, documents);

    /// <summary>
    /// Whether a definition only hands functions without names on: nothing that they reach outlives a document then.
    /// </summary>
    private static bool IsStateless(Script script) =>
        script.Body.All(s =>
            s is EmptyStatement or Directive or ExpressionStatement { Expression: CallExpression }
            && (s is not ExpressionStatement { Expression: CallExpression call } || IsStateless(call))
        );

    private static bool IsStateless(CallExpression call) =>
        (
            call.Callee is Identifier
            || call.Callee is MemberExpression { Object: CallExpression inner } && IsStateless(inner)
        ) && call.Arguments.All(a => a is Literal or ArrowFunctionExpression or FunctionExpression { Id: null });

    [GeneratedRegex(
        """\bload\s*\(.*?,\s*['"`]([^'"`]+)['"`]\s*\)""",
        RegexOptions.Singleline | RegexOptions.CultureInvariant
    )]
    private static partial Regex Loads();
}
