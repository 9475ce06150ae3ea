using System.Globalization;

namespace Pipeline.Documents.Transfer;

/// <summary>A line that is not a document.</summary>
/// <param name="File">The file's name as given.</param>
/// <param name="Line">The line, from 1.</param>
/// <param name="ByteInLine">The byte within the line, from 1.</param>
/// <param name="Reason">The problem, as a clause.</param>
public sealed record ImportError(string File, long Line, long ByteInLine, string Reason)
{
    /// <summary>One line for people and editors: <c>file:line:byte: reason</c>.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{File}:{Line}:{ByteInLine}: {Reason}");
}
