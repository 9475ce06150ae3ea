namespace Pipeline.Etl.Configuration;

/// <summary>One fault of a configuration file, and where it is.</summary>
/// <param name="File">The file as the caller named it.</param>
/// <param name="Line">The line, from 1.</param>
/// <param name="Column">The column in UTF-16 units, from 1.</param>
/// <param name="Message">What is wrong. Never holds a secret or a variable's value.</param>
/// <param name="Suggestion">The mend, where one is known.</param>
public sealed record Diagnostic(string File, int Line, int Column, string Message, string? Suggestion = null)
{
    /// <summary>Whether the file can be used all the same.</summary>
    public bool IsWarning { get; init; }

    /// <summary><c>file:line:column: message; suggestion</c>, the form that editors jump to; <c>warning: </c> before the message of one.</summary>
    public override string ToString() =>
        $"{File}:{Line}:{Column}: {(IsWarning ? "warning: " : "")}{Message}{(Suggestion is null ? "" : $"; {Suggestion}")}";
}
