using System.Text;
using Pipeline.Database.Json;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// A path to ids of other documents: <c>Company</c>, <c>Lines[].Product</c>, <c>Supplier(companies/)</c> for ids of which only the end is kept.
/// Lists on the way are gone through whether the path says <c>[]</c> or not. Immutable.
/// </summary>
internal sealed class IncludePath
{
    private readonly byte[][] _segments;
    private readonly string _prefix = "";

    /// <summary>Reads a path.</summary>
    public IncludePath(string path)
    {
        if (path.EndsWith(')') && path.LastIndexOf('(') is >= 0 and var open)
        {
            _prefix = path[(open + 1)..^1];
            path = path[..open];
        }
        _segments = [.. path.Split('.', StringSplitOptions.RemoveEmptyEntries).Select(s => Encoding.UTF8.GetBytes(s.EndsWith("[]", StringComparison.Ordinal) ? s[..^2] : s))];
    }

    /// <summary>The ids that a document has there.</summary>
    public IEnumerable<string> Ids(BinaryValue document) => Ids(document, 0);

    private IEnumerable<string> Ids(BinaryValue value, int depth)
    {
        if (value.Kind == JsonKind.Array)
        {
            foreach (var element in value.EnumerateArray())
            {
                foreach (var id in Ids(element, depth))
                    yield return id;
            }
        }
        else if (depth < _segments.Length)
        {
            if (value.Kind != JsonKind.Object || !value.TryGetProperty(_segments[depth], out var property))
                yield break;
            foreach (var id in Ids(property, depth + 1))
                yield return id;
        }
        else if (value.Kind == JsonKind.String && value.GetString() is { Length: > 0 } id)
        {
            yield return _prefix + id;
        }
    }
}
