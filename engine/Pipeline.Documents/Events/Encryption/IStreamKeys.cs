using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Documents.Events;

/// <summary>
/// The keys of encrypted streams. Each can be destroyed. They are kept outside the database, so that no backup of it
/// has them. Implementations must be thread-safe.
/// </summary>
public interface IStreamKeys
{
    /// <summary>
    /// The key of a stream; creates a durable one if it is missing. Called on committing threads too, so existing keys
    /// should be in memory.
    /// </summary>
    /// <param name="streamId">The stream.</param>
    /// <returns>32 bytes; do not change them.</returns>
    /// <exception cref="StreamKeyDestroyedException">It was destroyed.</exception>
    byte[] GetOrCreate(string streamId);

    /// <summary>The key of a stream.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="key">32 bytes; do not change them.</param>
    /// <returns><see langword="false"/> if it was destroyed, or never created.</returns>
    bool TryGet(string streamId, [NotNullWhen(true)] out byte[]? key);

    /// <summary>Destroys the key of a stream for ever; there is none made for it again.</summary>
    /// <param name="streamId">The stream.</param>
    void Destroy(string streamId);
}
