namespace Pipeline.Yaml;

/// <summary>One fault in a configuration file, with its location.</summary>
/// <param name="File">The file as the caller named it.</param>
/// <param name="Line">The line, from 1.</param>
/// <param name="Column">The column in UTF-16 units, from 1.</param>
/// <param name="Message">What is wrong. Never holds a secret or a variable's value.</param>
/// <param name="Suggestion">How to fix it, or <see langword="null"/> if that is not known.</param>
public sealed record Diagnostic(string File, int Line, int Column, string Message, string? Suggestion = null)
{
    /// <summary>Whether the file can still be used.</summary>
    public bool IsWarning { get; init; }

    /// <summary>
    /// <c>file:line:column: message; suggestion</c>, the form that editors jump to. The message of a warning follows
    /// <c>warning: </c>.
    /// </summary>
    public override string ToString() =>
        $"{File}:{Line}:{Column}: {(IsWarning ? "warning: " : "")}{Message}{(Suggestion is null ? "" : $"; {Suggestion}")}";
}
