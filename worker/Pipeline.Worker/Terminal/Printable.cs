using System.Globalization;
using System.Text;

namespace Pipeline.Worker.Terminal;

/// <summary>Text of unknown origin, such as names and values of a file, as a terminal can show it.</summary>
internal static class Printable
{
    /// <summary>The text with its control characters written as <c>\u001B</c>, tabs and line ends aside, so that none of them reaches the terminal.</summary>
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

    // A carriage return alone goes back over what stands there.
    private static bool IsControl(char c) => char.IsControl(c) && c is not ('\t' or '\n');
}
