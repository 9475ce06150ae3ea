using System.Text;
using Pipeline.Json;

namespace Pipeline.Server.Endpoints;

/// <summary>
/// A path to ids of other documents: <c>Company</c>, <c>Lines[].Product</c>. <c>Supplier(companies/)</c> is for
/// properties that hold an id without its prefix. Lists on the path are traversed whether or not it says <c>[]</c>.
/// Immutable.
/// </summary>
internal sealed class IncludePath
{
    private readonly byte[][] _segments;
    private readonly string _prefix = "";

    /// <summary>Parses a path.</summary>
    public IncludePath(string path)
    {
        if (path.EndsWith(')') && path.LastIndexOf('(') is >= 0 and var open)
        {
            _prefix = path[(open + 1)..^1];
            path = path[..open];
        }
        _segments =
        [
            .. path.Split('.', StringSplitOptions.RemoveEmptyEntries)
                .Select(s => Encoding.UTF8.GetBytes(s.EndsWith("[]", StringComparison.Ordinal) ? s[..^2] : s)),
        ];
    }

    /// <summary>The ids in a document that the path leads to.</summary>
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
