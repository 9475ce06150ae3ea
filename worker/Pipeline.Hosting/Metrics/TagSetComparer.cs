using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Hosting.Metrics;

/// <summary>
/// Compares attribute sets, and looks them up by span, so that a measurement of a known series allocates nothing.
/// </summary>
/// <remarks>
/// The order of the attributes matters: an instrument that reports them in two orders has two series, until they are
/// sorted for output.
/// </remarks>
internal sealed class TagSetComparer
    : IEqualityComparer<KeyValuePair<string, object?>[]>,
        IAlternateEqualityComparer<ReadOnlySpan<KeyValuePair<string, object?>>, KeyValuePair<string, object?>[]>
{
    public static readonly TagSetComparer Instance = new();

    public bool Equals(KeyValuePair<string, object?>[]? x, KeyValuePair<string, object?>[]? y) =>
        ReferenceEquals(x, y) || (x is not null && y is not null && Equals(x.AsSpan(), y));

    public bool Equals(ReadOnlySpan<KeyValuePair<string, object?>> alternate, KeyValuePair<string, object?>[] other)
    {
        if (alternate.Length != other.Length)
            return false;
        for (var i = 0; i < other.Length; i++)
        {
            if (
                !string.Equals(alternate[i].Key, other[i].Key, StringComparison.Ordinal)
                || !Equals(alternate[i].Value, other[i].Value)
            )
            {
                return false;
            }
        }

        return true;
    }

    public int GetHashCode([DisallowNull] KeyValuePair<string, object?>[] obj) => GetHashCode(obj.AsSpan());

    public int GetHashCode(ReadOnlySpan<KeyValuePair<string, object?>> alternate)
    {
        var hash = new HashCode();
        foreach (var tag in alternate)
        {
            hash.Add(tag.Key, StringComparer.Ordinal);
            hash.Add(tag.Value);
        }
        return hash.ToHashCode();
    }

    public KeyValuePair<string, object?>[] Create(ReadOnlySpan<KeyValuePair<string, object?>> alternate) =>
        alternate.ToArray();
}
