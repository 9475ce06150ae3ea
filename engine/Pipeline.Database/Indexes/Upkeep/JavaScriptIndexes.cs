using System.Text.RegularExpressions;
using Pipeline.Database.Scripts;
using Pipeline.Database.Scripts.JavaScript;

namespace Pipeline.Database.Indexes;

/// <summary>Tells definitions in JavaScript from those in C#.</summary>
internal static partial class JavaScriptIndexes
{
    /// <summary>Whether a definition is in JavaScript: a map begins with <c>map(</c>, or with a declaration before it, where one in C# begins with <c>from</c> or <c>docs</c>.</summary>
    public static bool IsJavaScript(IndexDefinition definition) => definition.Maps.Count > 0 && Beginning().IsMatch(definition.Maps[0]);

    /// <summary>Compiles one.</summary>
    /// <exception cref="InvalidIndexException">It does not compile, or this program was built without JavaScript.</exception>
    public static IIndexMapper Compile(IndexDefinition definition) => JavaScriptLanguage.Compiler is IJavaScriptIndexes compiler
        ? compiler.Compile(definition)
        : throw new InvalidIndexException(
            definition.Name, "it is in JavaScript", [new ScriptError("map", 1, 1, 1, 1, "JS", "indexes in JavaScript need Jint, which this program was built without", JavaScriptMissingException.Mend)]);

    [GeneratedRegex(@"\A(?:\s|//[^\n]*\n|/\*.*?\*/)*(?:map\s*\(|function\b|const\b|let\b|var\b|""use strict""|'use strict')", RegexOptions.Singleline | RegexOptions.CultureInvariant)]
    private static partial Regex Beginning();
}
