using Pipeline.Scripting;

namespace Pipeline.Database.Indexes;

/// <summary>A document, or a group of a map-reduce index, that could not be indexed.</summary>
/// <param name="Time">When, by the database's clock.</param>
/// <param name="DocumentId">The document; null for a reduce.</param>
/// <param name="Position">The position of the document's version; 0 for a reduce.</param>
/// <param name="Source">The part that failed: <c>map</c>, <c>map 2</c>, <c>reduce</c>, or the field.</param>
/// <param name="Line">Line of that text, from 1; 0 if it is unknown.</param>
/// <param name="Column">Column of that line, from 1; 0 if it is unknown.</param>
/// <param name="Message">What happened.</param>
public sealed record IndexError(
    DateTimeOffset Time,
    string? DocumentId,
    long Position,
    string Source,
    int Line,
    int Column,
    string Message
)
{
    /// <summary>Describes an exception; a script's own names its part and place.</summary>
    internal static IndexError Of(DateTimeOffset time, string? document, long position, string source, Exception e)
    {
        var script = e as ScriptRuntimeException;
        return new IndexError(
            time,
            document,
            position,
            script?.ScriptSource ?? source,
            script?.Line ?? 0,
            script?.Column ?? 0,
            e.Message
        );
    }
}
