namespace Pipeline.Database;

/// <summary>Puts and deletes that are done in order and all or not at all. Not thread-safe; may be executed again.</summary>
public sealed class DocumentBatch
{
    internal List<Command> Commands { get; } = [];

    /// <summary>How many commands.</summary>
    public int Count => Commands.Count;

    /// <summary>Adds a put; see <see cref="DocumentDatabase.PutAsync"/>. The text is parsed at once.</summary>
    /// <param name="id">The id; null, <c>prefix/</c> or <c>prefix|</c> to have one made.</param>
    /// <param name="utf8Json">The document.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <returns>Itself.</returns>
    /// <exception cref="Json.JsonFormatException">The text is no document.</exception>
    public DocumentBatch Put(string? id, ReadOnlySpan<byte> utf8Json, string? expectedChangeVector = null) =>
        Put(id, DocumentDraft.Parse(utf8Json), expectedChangeVector);

    /// <summary>Adds a put.</summary>
    /// <param name="id">The id; null, <c>prefix/</c> or <c>prefix|</c> to have one made.</param>
    /// <param name="document">The document.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <returns>Itself.</returns>
    public DocumentBatch Put(string? id, DocumentDraft document, string? expectedChangeVector = null)
    {
        ArgumentNullException.ThrowIfNull(document);
        Commands.Add(new Command(id, document, expectedChangeVector));
        return this;
    }

    /// <summary>Adds a delete. That there is no such document is no error.</summary>
    /// <param name="id">The id.</param>
    /// <param name="expectedChangeVector">The version that must be there: null any, empty none.</param>
    /// <returns>Itself.</returns>
    public DocumentBatch Delete(string id, string? expectedChangeVector = null)
    {
        ArgumentNullException.ThrowIfNull(id);
        Commands.Add(new Command(id, null, expectedChangeVector));
        return this;
    }

    internal readonly record struct Command(string? Id, DocumentDraft? Document, string? Expected);
}
