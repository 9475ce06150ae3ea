using System.Buffers;
using System.Text;
using Pipeline.Documents;

namespace Pipeline.Database.Queries;

/// <summary>One result of a query: a document, or the output of <c>select</c>. Immutable.</summary>
public sealed class QueryItem
{
    private readonly ReadOnlyMemory<byte> _json;

    internal QueryItem(Document document, double? score, double? distanceMeters) =>
        (Document, Id, Score, DistanceMeters) = (document, document.Id, score, distanceMeters);

    internal QueryItem(string? id, ReadOnlyMemory<byte> json, double? score = null, double? distanceMeters = null) =>
        (Id, _json, Score, DistanceMeters) = (id, json, score, distanceMeters);

    /// <summary>About how many bytes it holds in memory.</summary>
    internal long Bytes => Document?.Bytes ?? _json.Length;

    /// <summary>The id of the document that was found; null for a group.</summary>
    public string? Id { get; }

    /// <summary>The document; null where <c>select</c> or a group made something else.</summary>
    public Document? Document { get; }

    /// <summary>How well it fits; null where results have no score.</summary>
    public double? Score { get; }

    /// <summary>
    /// Its distance, in metres, from the point by which results are ordered; null if they are not ordered so.
    /// </summary>
    public double? DistanceMeters { get; }

    /// <summary>Whether this is the count of a facet.</summary>
    public bool IsFacet { get; internal init; }

    /// <summary>Whether this is not a whole document.</summary>
    public bool IsProjection => Document is null;

    /// <summary>Writes the result as JSON text; a document with its metadata.</summary>
    /// <param name="target">Where to.</param>
    public void WriteJson(IBufferWriter<byte> target)
    {
        ArgumentNullException.ThrowIfNull(target);
        if (Document is not null)
            Document.WriteJson(target);
        else
            target.Write(_json.Span);
    }

    /// <summary>The JSON text.</summary>
    /// <returns>A new string.</returns>
    public override string ToString() => Document?.ToString() ?? Encoding.UTF8.GetString(_json.Span);
}
