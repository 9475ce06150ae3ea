using System.Globalization;
using System.Text;

namespace Pipeline.Indexing;

/// <summary>Why an entry has its score: a tree of values, each made from those below it.</summary>
/// <param name="Value">The value.</param>
/// <param name="Description">The value's name and formula.</param>
/// <param name="Parts">The values it is computed from.</param>
public sealed record Explanation(float Value, string Description, IReadOnlyList<Explanation> Parts)
{
    /// <summary>A value that is given.</summary>
    /// <param name="value">The value.</param>
    /// <param name="description">The value's name.</param>
    public Explanation(float value, string description)
        : this(value, description, []) { }

    /// <summary>The tree as lines of text, indented.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        var text = new StringBuilder();
        Write(text, 0);
        return text.ToString();
    }

    private void Write(StringBuilder text, int depth)
    {
        text.Append(' ', depth * 2).Append(CultureInfo.InvariantCulture, $"{Value:R} = {Description}\n");
        foreach (var part in Parts)
            part.Write(text, depth + 1);
    }
}
