using System.Collections.Concurrent;
using Pipeline.Database.Queries.Evaluation;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.JavaScript;
using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Results;

/// <summary>
/// A <c>select</c> that is more than the expressions of the query language: JavaScript, which the declared functions
/// are, too. One thread at a time.
/// </summary>
internal sealed class ScriptProjection
{
    private const int MaxKept = 64;
    private static readonly ConcurrentDictionary<string, ProjectionScript> Kept = new(StringComparer.Ordinal);
    private readonly ProjectionScript _script;
    private readonly IReadOnlyList<string> _names;
    private readonly IReadOnlyList<ProjectionArgument> _parameters;
    private readonly IProjectionDocuments _documents;
    private readonly DateTimeOffset _now;
    private readonly JsonBodyWriter _writer = new();

    private ScriptProjection(
        ProjectionScript script,
        IReadOnlyList<string> names,
        QueryParameters parameters,
        IProjectionDocuments documents,
        DateTimeOffset now
    )
    {
        (_script, _names, _documents, _now) = (script, names, documents, now);
        _parameters = [.. parameters.Names.Select(n => Value(parameters.Script(n)))];
    }

    /// <summary>Makes the projection.</summary>
    /// <param name="query">The query.</param>
    /// <param name="names">The names of the selected items, one by one.</param>
    /// <param name="parameters">
    /// The query's parameters, which the script has under their names with the dollar sign.
    /// </param>
    /// <param name="documents">The documents that it may read.</param>
    /// <param name="now">Its clock.</param>
    /// <param name="refusal">Why the query language alone cannot express it.</param>
    /// <exception cref="InvalidQueryException">
    /// Results have no name that the script could use, or it does not compile.
    /// </exception>
    internal static ScriptProjection Of(
        QuerySyntax query,
        IReadOnlyList<string> names,
        QueryParameters parameters,
        IProjectionDocuments documents,
        DateTimeOffset now,
        InvalidQueryException refusal
    )
    {
        if (query.From.Alias is not { } alias)
            throw refusal;
        List<string> known = [alias, .. query.Load.Select(l => l.Alias!)];
        List<string> all = [.. known, .. parameters.Names.Select(n => "$" + n)];
        var functions = string.Concat(query.Functions.Select(f => f.ToScript() + "\n"));
        var source = $"{functions}return ({TextOf(query, names)});";
        var key = string.Join(',', all) + "\n" + source;
        if (!Kept.TryGetValue(key, out var script))
        {
            var compiled = JavaScriptCompiler.CompileProjection(source, all);
            if (!compiled.Succeeded)
            {
                var error = compiled.Errors[0];
                throw new InvalidQueryException(
                    QueryErrorKind.Syntax,
                    query.Text,
                    query.Select!.Span,
                    $"'select' and the declared functions are not valid JavaScript: line {error.Line}, column {error.Column}: {error.Message}"
                );
            }

            script = compiled.Script;
            if (Kept.Count >= MaxKept)
                Kept.Clear();
            Kept[key] = script;
        }

        return new ScriptProjection(script, known, parameters, documents, now);
    }

    /// <summary>The result; null for none.</summary>
    internal byte[]? Make(EvaluationScope scope, CancellationToken cancellationToken) =>
        _script.Run(
            new ProjectionRun([.. _names.Select(n => Named(n, scope)), .. _parameters], _documents, _now),
            cancellationToken
        );

    private ProjectionArgument Named(string name, EvaluationScope scope)
    {
        scope.TryGet(name, out var value, out var document);
        return document is null ? Value(value) : new ProjectionArgument(document.ToScriptDocument(), default);
    }

    private ProjectionArgument Value(ScriptValue? value)
    {
        _writer.Reset(int.MaxValue);
        _writer.Value(value);
        return new ProjectionArgument(null, BinaryJson.Parse(_writer.Written.ToArray()));
    }

    /// <summary>
    /// The selection as one JavaScript expression: the object or function call itself, or an object of several items.
    /// </summary>
    private static string TextOf(QuerySyntax query, IReadOnlyList<string> names)
    {
        var select = query.Select!;
        if (select.Script is { } script)
            return script;
        if (select.Items is [{ Alias: null, Expression: ObjectSyntax or CallSyntax { Target: null } }])
            return Text(0);
        return $"{{{string.Join(", ", names.Select((n, i) => $"{System.Text.Json.JsonSerializer.Serialize(n)}: ({Text(i)})"))}}}";

        string Text(int item)
        {
            var span = select.Items[item].Expression.Span;
            return query.Text.Substring(span.Start, span.Length);
        }
    }
}
