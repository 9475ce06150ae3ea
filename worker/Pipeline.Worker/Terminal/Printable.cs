using System.Globalization;
using System.Text;

namespace Pipeline.Worker.Terminal;

/// <summary>Makes text of unknown origin, such as names and values in a file, safe for a terminal.</summary>
internal static class Printable
{
    /// <summary>
    /// Replaces control characters except tabs and line ends by <c>\u001B</c> notation, so that none reaches the
    /// terminal.
    /// </summary>
    public static string Of(string text)
    {
        if (!text.Any(IsControl))
            return text;
        var result = new StringBuilder(text.Length + 16);
        foreach (var c in text)
        {
            if (IsControl(c))
                result.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:X4}");
            else
                result.Append(c);
        }
        return result.ToString();
    }

    // A carriage return alone would overwrite the line.
    private static bool IsControl(char c) => char.IsControl(c) && c is not ('\t' or '\n');
}
