using System.Text;
using Pipeline.Indexing;
using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>The forms in which an automatic index has its fields, and how values are written to it.</summary>
internal static class AutoFields
{
    /// <summary>A field of the index and where its values are.</summary>
    internal sealed record Target(MapField Field, AutoIndexField Source, bool IsPlace);

    public static IReadOnlyList<Target> Of(AutoIndexDefinition definition)
    {
        var targets = new List<Target>();
        foreach (var field in All(definition))
        {
            if (field.Usage.HasFlag(AutoFieldUsage.Spatial))
                Add(field.Path, field, true);
            else if (field.Usage.HasFlag(AutoFieldUsage.Compare))
                Add(field.Path, field, false);
            if (field.Usage.HasFlag(AutoFieldUsage.Exact))
                Add(IndexFieldNames.Exact(field.Path), field, false);
            if (field.Usage.HasFlag(AutoFieldUsage.Search))
                Add(IndexFieldNames.Search(field.Path), field, false);
        }

        return targets;

        void Add(string name, AutoIndexField field, bool isPlace) =>
            targets.Add(new Target(new MapField(name, targets.Count, null), field, isPlace));
    }

    /// <summary>Options of the fields.</summary>
    public static IReadOnlyDictionary<string, IndexFieldDefinition> Options(AutoIndexDefinition definition)
    {
        var options = new Dictionary<string, IndexFieldDefinition>(StringComparer.Ordinal);
        foreach (var field in definition.Fields)
        {
            if (field.Usage.HasFlag(AutoFieldUsage.Search))
            {
                options[IndexFieldNames.Search(field.Path)] = new IndexFieldDefinition { Indexing = TermForm.Search };
            }

            if (field.Usage.HasFlag(AutoFieldUsage.Exact))
            {
                options[IndexFieldNames.Exact(field.Path)] = new IndexFieldDefinition { Indexing = TermForm.Exact };
            }
        }

        return options;
    }

    /// <summary>
    /// Writes a value of a document as one value of a field, or an array as several; a missing one writes none.
    /// </summary>
    public static void Give(MapField field, BinaryValue value, IIndexOutput output)
    {
        switch (value.Kind)
        {
            case JsonKind.Array:
                foreach (var element in value.EnumerateArray())
                    Give(field, element, output);
                break;
            case JsonKind.String when value.TryGetUtf8(out var utf8):
                output.Text(field, utf8);
                break;
            case JsonKind.Boolean:
                output.Boolean(field, value.GetBoolean());
                break;
            case JsonKind.Number when value.TryGetInt64(out var integer):
                output.Integer(field, integer);
                break;
            case JsonKind.Number when value.TryGetDouble(out var real):
                output.Real(field, real);
                break;
            case JsonKind.Number:
                output.Text(field, Encoding.UTF8.GetBytes(value.GetNumberText()));
                break;
            case JsonKind.Object:
                output.Json(field, Encoding.UTF8.GetBytes(value.ToString()));
                break;
            case JsonKind.Null:
                output.Null(field);
                break;
        }
    }

    /// <summary>Of a group the keys and the aggregates are fields, whether a query has asked for them or not.</summary>
    private static IEnumerable<AutoIndexField> All(AutoIndexDefinition definition)
    {
        if (definition.GroupBy.Count == 0)
            return definition.Fields;
        var own = definition
            .GroupBy.Select(k => k.Path)
            .Concat(definition.Aggregates.Select(a => a.Name))
            .Distinct()
            .Select(p => new AutoIndexField(p));
        return definition.Widen(new AutoIndexDefinition(definition.Collection, [.. own])).Fields;
    }
}
