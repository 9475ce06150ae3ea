using System.Text.RegularExpressions;

namespace Pipeline.Database.Indexes;

/// <summary>Tells definitions in JavaScript from those in C#.</summary>
internal static partial class JavaScriptIndexes
{
    /// <summary>
    /// Whether a definition is in JavaScript: its first map begins with <c>map(</c> or a declaration, while one in C#
    /// begins with <c>from</c> or <c>docs</c>.
    /// </summary>
    public static bool IsJavaScript(IndexDefinition definition) =>
        definition.Maps.Count > 0 && Beginning().IsMatch(definition.Maps[0]);

    [GeneratedRegex(
        @"\A(?:\s|//[^\n]*\n|/\*.*?\*/)*(?:map\s*\(|function\b|const\b|let\b|var\b|""use strict""|'use strict')",
        RegexOptions.Singleline | RegexOptions.CultureInvariant
    )]
    private static partial Regex Beginning();
}
