using System.Globalization;
using Pipeline.Database.Queries.Evaluation;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Results;

/// <summary>
/// Collects the additional data of <c>include cmpxchg()</c> and <c>include revisions()</c>, each item once.
/// </summary>
internal sealed class IncludedOthers
{
    private readonly DatabaseSnapshot _snapshot;
    private readonly Action<long>? _onHeld;
    private readonly List<FieldSyntax> _keys = [];
    private readonly List<FieldSyntax> _versions = [];
    private readonly List<DateTimeOffset> _times = [];
    private readonly Dictionary<string, CompareExchangeValue?> _values = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<IncludedRevision> _revisions = [];
    private readonly HashSet<(long Position, DateTimeOffset? Before)> _seen = [];

    internal IncludedOthers(
        QuerySyntax query,
        QueryParameters parameters,
        DatabaseSnapshot snapshot,
        Action<long>? onHeld = null
    )
    {
        (_snapshot, _onHeld) = (snapshot, onHeld);
        foreach (var call in query.Include.OfType<CallSyntax>().Where(c => c.Target is null))
        {
            if (call.Name == "cmpxchg")
                _keys.AddRange(call.Arguments.Select(a => Path(a, parameters)).OfType<FieldSyntax>());
            if (call.Name != "revisions")
                continue;
            foreach (var argument in call.Arguments)
            {
                if (
                    Text(argument, parameters) is { } text
                    && DateTimeOffset.TryParse(
                        text,
                        CultureInfo.InvariantCulture,
                        DateTimeStyles.AssumeUniversal,
                        out var time
                    )
                )
                {
                    _times.Add(time);
                }
                else if (Path(argument, parameters) is { } path)
                {
                    _versions.Add(path);
                }
            }
        }
    }

    /// <summary>The compare-exchange values by their keys; a value is null if there is none.</summary>
    internal IReadOnlyDictionary<string, CompareExchangeValue?> Values => _values;

    internal IReadOnlyList<IncludedRevision> Revisions => _revisions;

    /// <summary>Adds those of one result.</summary>
    internal void Add(Projection projection, EvaluationScope scope, Document? document)
    {
        foreach (var key in _keys.SelectMany(path => Texts(projection.Value(path, scope))))
            Add(key);

        foreach (var version in _versions.SelectMany(path => Texts(projection.Value(path, scope))))
        {
            if (_snapshot.TryGetRevision(version, out var revision))
                Add(revision, null);
        }

        if (document is null)
            return;
        foreach (var time in _times)
        {
            if (_snapshot.TryGetRevisionAt(document.Id, time, out var revision))
                Add(revision, time);
        }
    }

    /// <summary>Adds a compare-exchange value.</summary>
    internal void Add(string key)
    {
        if (_values.ContainsKey(key))
            return;
        var value = _snapshot.GetCompareExchange(key);
        _onHeld?.Invoke((2 * key.Length) + (value?.Value.Data.Length ?? 0));
        _values.Add(key, value);
    }

    private void Add(Document revision, DateTimeOffset? before)
    {
        if (!_seen.Add((revision.Position, before)))
            return;
        _onHeld?.Invoke(revision.Bytes);
        _revisions.Add(new IncludedRevision(revision.Id, revision.ChangeVector, before, revision));
    }

    private static IEnumerable<string> Texts(ScriptValue? value) =>
        value switch
        {
            { Kind: ScriptValueKind.Array } => value.Elements().SelectMany(Texts),
            { Kind: ScriptValueKind.Text } when value.Text.Length is > 0 and <= DocumentKeys.MaxKeyBytes =>
            [
                value.Text,
            ],
            _ => [],
        };

    private static FieldSyntax? Path(ExpressionSyntax argument, QueryParameters parameters) =>
        argument is FieldSyntax field ? IncludedDocuments.Split(field)
        : Text(argument, parameters) is { Length: > 0 } text
            ? IncludedDocuments.Split(new FieldSyntax([new FieldSegment(text, false)], argument.Span))
        : null;

    private static string? Text(ExpressionSyntax argument, QueryParameters parameters) =>
        argument switch
        {
            LiteralSyntax { Value: string text } => text,
            ParameterSyntax parameter when parameters.TryGet(parameter.Name, out var value) => value as string,
            _ => null,
        };
}
