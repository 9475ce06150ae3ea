using System.Text;
using System.Text.Json;
using Pipeline.Storage;

namespace Pipeline.Documents;

/// <summary>
/// A configuration that a database remembers from one opening to the next, as JSON in its state. Thread-safe.
/// </summary>
internal sealed class RememberedConfiguration<T>(DocumentStorage database, string name)
    where T : class
{
    private byte[]? _seen;
    private readonly byte[] _key = Encoding.UTF8.GetBytes(name + "/configuration");

    /// <summary>Remembers it; done when it is durable.</summary>
    internal Task SaveAsync(T configuration, CancellationToken ct) =>
        SaveAsync(JsonSerializer.SerializeToUtf8Bytes(configuration), ct);

    /// <summary>
    /// Returns the given configuration and stores it, or returns the stored one; null if there is neither.
    /// </summary>
    /// <param name="given">The configuration with which the database is opened.</param>
    /// <param name="isOn">Whether it does anything. If not, and nothing is stored, it is not written.</param>
    /// <exception cref="DatabaseCorruptException">The stored configuration cannot be read.</exception>
    internal T? Load(T? given, bool isOn)
    {
        byte[]? stored;
        using (var transaction = database.Storage.BeginRead(name))
        {
            stored =
                transaction.TryOpenTree(DatabaseTrees.State, out var tree) && tree.TryGet(_key, out var value)
                    ? value.ToArray()
                    : null;
        }

        if (given is not null)
        {
            var text = JsonSerializer.SerializeToUtf8Bytes(given);
            if (stored is null ? isOn : !text.AsSpan().SequenceEqual(stored))
                SaveAsync(text, CancellationToken.None).GetAwaiter().GetResult();
            return given;
        }

        if (stored is null)
            return null;
        try
        {
            return JsonSerializer.Deserialize<T>(stored);
        }
        catch (JsonException e)
        {
            throw new DatabaseCorruptException(
                database.Name,
                $"its configuration of {name} cannot be read: {e.Message}"
            );
        }
    }

    /// <summary>Stores the configuration of a new database.</summary>
    internal void Save(WriteTransaction transaction, T configuration) =>
        transaction.CreateTree(DatabaseTrees.State).Put(_key, JsonSerializer.SerializeToUtf8Bytes(configuration));

    /// <summary>Reads the stored configuration if it is not the one that was read last. One call at a time.</summary>
    internal bool TryRefresh(Transaction transaction, out T? configuration)
    {
        configuration = null;
        if (!transaction.TryOpenTree(DatabaseTrees.State, out var tree) || !tree.TryGet(_key, out var value))
            return false;
        if (_seen is not null && value.SequenceEqual(_seen))
            return false;
        _seen = value.ToArray();
        try
        {
            configuration = JsonSerializer.Deserialize<T>(_seen);
            return configuration is not null;
        }
        catch (JsonException e)
        {
            throw new DatabaseCorruptException(
                database.Name,
                $"its configuration of {name} cannot be read: {e.Message}"
            );
        }
    }

    private Task<bool> SaveAsync(byte[] text, CancellationToken ct) =>
        database.Storage.WriteAsync(transaction => transaction.CreateTree(DatabaseTrees.State).Put(_key, text), ct);
}
