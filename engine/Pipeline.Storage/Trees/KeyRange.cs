using System.Globalization;

namespace Pipeline.Storage;

/// <summary>Keys of a tree, in the order of their bytes.</summary>
/// <param name="From">The first key that may be meant; null from the tree's beginning.</param>
/// <param name="Before">The first key behind; null to the tree's end.</param>
public sealed record KeyRange(byte[]? From, byte[]? Before)
{
    /// <summary>Just one key.</summary>
    public static KeyRange Of(ReadOnlySpan<byte> key) => new(key.ToArray(), [.. key, 0]);

    /// <summary>Whether the range is one key.</summary>
    public bool IsSingle =>
        From is not null
        && Before is not null
        && Before.Length == From.Length + 1
        && Before[^1] == 0
        && Before.AsSpan(0, From.Length).SequenceEqual(From);

    /// <summary>Whether a key lies in the range.</summary>
    public bool Contains(ReadOnlySpan<byte> key) =>
        (From is null || From.AsSpan().SequenceCompareTo(key) <= 0)
        && (Before is null || key.SequenceCompareTo(Before) < 0);

    /// <inheritdoc/>
    public bool Equals(KeyRange? other) => other is not null && Same(From, other.From) && Same(Before, other.Before);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(From?.Length, Before?.Length);

    /// <inheritdoc/>
    public override string ToString() =>
        From is null && Before is null ? "all keys"
        : IsSingle ? $"key {Show(From!)}"
        : $"keys {(From is null ? "" : $"from {Show(From)} ")}{(Before is null ? "to the end" : $"to before {Show(Before)}")}";

    /// <summary>A key in readable form: printable ASCII as text, anything else in hexadecimal.</summary>
    public static string Show(ReadOnlySpan<byte> key)
    {
        var isText = !key.IsEmpty && !key.ContainsAnyExceptInRange((byte)0x20, (byte)0x7E);
        var shown = key[..Math.Min(key.Length, isText ? 100 : 32)];
        var text = isText ? $"'{System.Text.Encoding.ASCII.GetString(shown)}'" : "0x" + Convert.ToHexString(shown);
        return shown.Length == key.Length
            ? text
            : string.Create(CultureInfo.InvariantCulture, $"{text}… ({key.Length} bytes)");
    }

    private static bool Same(byte[]? a, byte[]? b) =>
        a is null || b is null ? a is null && b is null : a.AsSpan().SequenceEqual(b);
}
