using System.Diagnostics.CodeAnalysis;

namespace Pipeline.Database.Events;

/// <summary>
/// The keys of encrypted streams, each of which can be destroyed. Kept outside of the database, so that no backup of it has them. Implementations are thread-safe.
/// </summary>
public interface IStreamKeys
{
    /// <summary>The key of a stream, made and durable where it was missing. Called on committing threads too, so what was made once should be in memory.</summary>
    /// <param name="streamId">The stream.</param>
    /// <returns>32 bytes, not to be changed.</returns>
    /// <exception cref="StreamKeyDestroyedException">It was destroyed.</exception>
    byte[] GetOrCreate(string streamId);

    /// <summary>The key of a stream.</summary>
    /// <param name="streamId">The stream.</param>
    /// <param name="key">32 bytes, not to be changed.</param>
    /// <returns><see langword="false"/> where it was destroyed, or never made.</returns>
    bool TryGet(string streamId, [NotNullWhen(true)] out byte[]? key);

    /// <summary>Destroys the key of a stream for ever; there is none made for it again.</summary>
    /// <param name="streamId">The stream.</param>
    void Destroy(string streamId);
}
