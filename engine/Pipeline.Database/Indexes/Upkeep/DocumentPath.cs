using System.Text;
using Pipeline.Json;

namespace Pipeline.Database.Indexes;

/// <summary>
/// A path in documents, as queries write it: <c>ShipTo.City</c>, <c>Lines[].Product</c>. Arrays on the way are gone
/// through whether <c>[]</c> is written or not.
/// </summary>
internal sealed class DocumentPath
{
    private readonly (byte[] Name, bool IsArray)[] _steps;

    public DocumentPath(string path)
        : this([
            .. path.Split('.')
                .Select(s =>
                    s.EndsWith("[]", StringComparison.Ordinal)
                        ? (Encoding.UTF8.GetBytes(s[..^2]), true)
                        : (Encoding.UTF8.GetBytes(s), false)
                ),
        ]) { }

    private DocumentPath((byte[] Name, bool IsArray)[] steps) => _steps = steps;

    /// <summary>
    /// The values at the path: one, "no value" if there is none, or one for each array element along the path.
    /// </summary>
    public List<BinaryValue> Values(BinaryValue document)
    {
        var values = new List<BinaryValue>();
        Follow(document, 0, values);
        return values;
    }

    private void Follow(BinaryValue value, int step, List<BinaryValue> values)
    {
        if (step == _steps.Length)
        {
            values.Add(value);
            return;
        }

        (var name, var isArray) = _steps[step];
        if (!value.TryGetProperty(name, out var next))
            next = default;
        if ((isArray || step + 1 < _steps.Length) && next.Kind == JsonKind.Array)
        {
            foreach (var element in next.EnumerateArray())
                Follow(element, step + 1, values);
        }
        else
        {
            Follow(next, step + 1, values);
        }
    }
}
