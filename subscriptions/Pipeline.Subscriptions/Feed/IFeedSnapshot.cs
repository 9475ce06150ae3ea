using System.Buffers;
using Pipeline.Database.Scripts;

namespace Pipeline.Subscriptions;

/// <summary>One state of the database. Used by one thread at a time; what it gives is valid until it is disposed.</summary>
public interface IFeedSnapshot : IScriptDocuments, IDisposable
{
    /// <summary>The position that this state shows; everything up to it is here, nothing after it.</summary>
    long LastPosition { get; }

    /// <summary>Deletions up to this position may have been forgotten: who reads on from a lower one may miss some.</summary>
    long PurgedThrough => 0;

    /// <summary>Adds the changes after a position that pass the filter, in the order of their positions.</summary>
    /// <param name="after">The position to begin after.</param>
    /// <param name="filter">Which changes.</param>
    /// <param name="maxChanges">Most changes to add.</param>
    /// <param name="maxBytes">Bytes of documents after which no more are added; at least one is.</param>
    /// <param name="changes">Where they are added.</param>
    /// <returns>The position up to which every matching change is among those added; over the last one's where what follows does not match.</returns>
    long ReadChanges(long after, CursorFilter filter, int maxChanges, long maxBytes, List<FeedChange> changes);

    /// <summary>Writes the document that has this position as JSON with its <c>@metadata</c>.</summary>
    /// <returns><see langword="false"/> where no document has it, or has it no more.</returns>
    bool TryWriteJson(long position, IBufferWriter<byte> output);

    /// <summary>The private state under a key, or <see langword="null"/>.</summary>
    byte[]? GetState(string key);

    /// <summary>The private states whose keys begin with a text, in the order of the keys' bytes, each read when it is asked for.</summary>
    /// <param name="prefix">What the keys begin with.</param>
    /// <param name="after">The key to begin after; <see langword="null"/> for the first.</param>
    IEnumerable<KeyValuePair<string, byte[]>> GetStates(string prefix, string? after) => throw new NotSupportedException("This feed lists no private states.");
}
