using System.Buffers;
using Pipeline.Scripting;

namespace Pipeline.Subscriptions;

/// <summary>
/// One state of the database. Used by one thread at a time; anything read from it is valid until it is disposed.
/// </summary>
public interface IFeedSnapshot : IScriptDocuments, IDisposable
{
    /// <summary>The position of this state; it contains everything up to it and nothing after it.</summary>
    long LastPosition { get; }

    /// <summary>
    /// Deletions up to this position may have been purged: reading on from a lower position may miss some.
    /// </summary>
    long PurgedThrough => 0;

    /// <summary>Adds the changes after a position that pass the filter, in the order of their positions.</summary>
    /// <param name="after">The position to begin after.</param>
    /// <param name="filter">Which changes to read.</param>
    /// <param name="maxChanges">The most changes to add.</param>
    /// <param name="maxBytes">Bytes of documents after which no more are added; at least one change is.</param>
    /// <param name="changes">The list that they are added to.</param>
    /// <returns>
    /// The position up to which every matching change was added; higher than the last added change if what follows it
    /// does not match.
    /// </returns>
    long ReadChanges(long after, CursorFilter filter, int maxChanges, long maxBytes, List<FeedChange> changes);

    /// <summary>Writes the document that has this position as JSON with its <c>@metadata</c>.</summary>
    /// <returns><see langword="false"/> if no document has this position, or no longer.</returns>
    bool TryWriteJson(long position, IBufferWriter<byte> output);

    /// <summary>The private state under a key, or <see langword="null"/>.</summary>
    byte[]? GetState(string key);

    /// <summary>
    /// Lists the private states whose keys begin with a prefix, in byte order of the keys. Each is read when it is
    /// enumerated.
    /// </summary>
    /// <param name="prefix">The prefix of the keys.</param>
    /// <param name="after">The key to begin after; <see langword="null"/> for the first.</param>
    IEnumerable<KeyValuePair<string, byte[]>> GetStates(string prefix, string? after) =>
        throw new NotSupportedException("This feed lists no private states.");
}
