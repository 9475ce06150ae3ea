using System.Globalization;
using Pipeline.Json;

namespace Pipeline.Documents;

/// <summary>The text that names a version of a document: <c>A:&lt;position&gt;-&lt;database id&gt;</c>.</summary>
public static class ChangeVector
{
    /// <summary>The change vector of a position.</summary>
    /// <param name="position">The position that the version got.</param>
    /// <param name="database">The database.</param>
    /// <returns>The text.</returns>
    public static string Format(long position, DatabaseId database) =>
        MetadataRules.ChangeVectorOf(position, database.ToString());

    /// <summary>Reads the position out of a change vector, of whatever database.</summary>
    /// <param name="text">The change vector.</param>
    /// <param name="position">The position.</param>
    /// <returns><see langword="false"/> where the text has another form.</returns>
    public static bool TryParse(string text, out long position)
    {
        position = 0;
        ArgumentNullException.ThrowIfNull(text);
        var dash = text.IndexOf('-', StringComparison.Ordinal);
        return text.StartsWith("A:", StringComparison.Ordinal)
            && dash == text.Length - DatabaseId.TextLength - 1
            && long.TryParse(text.AsSpan(2, dash - 2), NumberStyles.None, CultureInfo.InvariantCulture, out position);
    }
}
