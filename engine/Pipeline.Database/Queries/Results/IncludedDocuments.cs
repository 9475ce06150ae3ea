using Pipeline.Database.Queries.Evaluation;
using Pipeline.Database.Queries.Facets;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Documents;
using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Results;

/// <summary>Collects the documents to which paths of the results lead, each once.</summary>
internal sealed class IncludedDocuments
{
    private readonly Func<string, Document?> _load;
    private readonly Action<long>? _onHeld;
    private readonly List<FieldSyntax> _paths = [];
    private readonly Dictionary<string, Document?> _found = new(StringComparer.OrdinalIgnoreCase);

    internal IncludedDocuments(QuerySyntax query, Func<string, Document?> load, Action<long>? onHeld = null)
    {
        (_load, _onHeld) = (load, onHeld);
        _paths = [.. query.Include.OfType<FieldSyntax>().Select(Split)];
    }

    /// <summary>The paths, without quotes.</summary>
    internal IReadOnlyList<string> Paths => [.. _paths.Select(p => p.Path)];

    internal IReadOnlyDictionary<string, Document?> Found => _found;

    /// <summary>Adds those of one result.</summary>
    internal void Add(Projection projection, EvaluationScope scope)
    {
        foreach (var path in _paths)
            Add(projection.Value(path, scope));
    }

    /// <summary>Adds those of one document.</summary>
    internal void Add(QueryEvaluator evaluator, EvaluationScope scope)
    {
        foreach (var path in _paths)
            Add(evaluator.Evaluate(path, scope));
    }

    /// <summary>Adds the documents whose ids are the values of a facet that is included by its name.</summary>
    internal void AddFacets(IReadOnlyList<FacetDefinition> facets, IReadOnlyList<QueryItem> items)
    {
        for (var i = 0; i < facets.Count && i < items.Count; i++)
        {
            if (!_paths.Exists(p => p.Path == facets[i].Name))
                continue;
            foreach (
                var value in BinaryJson
                    .Parse(System.Text.Encoding.UTF8.GetBytes(items[i].ToString()))
                    .Root["Values"]
                    .EnumerateArray()
            )
            {
                Add(DocumentValue.Create(value["Range"]));
            }
        }
    }

    private void Add(ScriptValue? id)
    {
        if (id is { Kind: ScriptValueKind.Array })
        {
            foreach (var element in id.Elements())
                Add(element);
        }
        else if (id is { Kind: ScriptValueKind.Text })
        {
            Add(id.Text);
        }
    }

    /// <summary>Adds one.</summary>
    internal void Add(string id)
    {
        if (id.Length is 0 or > DocumentKeys.MaxKeyBytes || _found.ContainsKey(id))
            return;
        var document = _load(id);
        _onHeld?.Invoke(document?.Bytes ?? (2 * id.Length));
        _found.Add(id, document);
    }

    /// <summary>A path that is written as one string: <c>'Lines[].Product'</c>.</summary>
    internal static FieldSyntax Split(FieldSyntax field) =>
        field.Segments is [{ IsArray: false } only] && only.Name.AsSpan().IndexOfAny('.', '[') >= 0
            ? field with
            {
                Segments =
                [
                    .. only
                        .Name.Split('.')
                        .Select(s =>
                            s.EndsWith("[]", StringComparison.Ordinal)
                                ? new FieldSegment(s[..^2], true)
                                : new FieldSegment(s, false)
                        ),
                ],
            }
            : field;
}
