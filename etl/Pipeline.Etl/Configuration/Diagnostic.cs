namespace Pipeline.Etl.Configuration;

/// <summary>One fault of a configuration file, and where it is.</summary>
/// <param name="File">The file as the caller named it.</param>
/// <param name="Line">The line, from 1.</param>
/// <param name="Column">The column in UTF-16 units, from 1.</param>
/// <param name="Message">What is wrong. Never holds a secret or a variable's value.</param>
/// <param name="Suggestion">The mend, where one is known.</param>
public sealed record Diagnostic(string File, int Line, int Column, string Message, string? Suggestion = null)
{
    /// <summary><c>file:line:column: message; suggestion</c>, the form that editors jump to.</summary>
    public override string ToString() =>
        Suggestion is null ? $"{File}:{Line}:{Column}: {Message}" : $"{File}:{Line}:{Column}: {Message}; {Suggestion}";
}
