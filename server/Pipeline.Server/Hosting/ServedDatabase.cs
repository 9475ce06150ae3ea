using Pipeline.Database;

namespace Pipeline.Server.Hosting;

/// <summary>A database with what the server keeps beside it. Thread-safe.</summary>
internal sealed class ServedDatabase(string name, DocumentDatabase database, bool owned, TimeProvider time)
{
    private const string RecordKey = "server/record";

    /// <summary>The name, as it was spelled when it was made.</summary>
    public string Name { get; } = name;

    /// <summary>The documents.</summary>
    public DocumentDatabase Database { get; } = database;

    /// <summary>Whether the server made it, so that it may delete it and must close it.</summary>
    public bool IsOwned { get; } = owned;

    /// <summary>The clock.</summary>
    public TimeProvider Time { get; } = time;

    /// <summary>Work that goes on after its request was answered.</summary>
    public OperationLog Operations { get; } = new(time);

    /// <summary>The record that the client made it with, as JSON; null where there is none.</summary>
    public byte[]? Record
    {
        get
        {
            using var snapshot = Database.OpenSnapshot("record");
            return snapshot.GetState(RecordKey);
        }
    }

    /// <summary>Keeps the record.</summary>
    public Task SetRecordAsync(ReadOnlyMemory<byte> json, CancellationToken ct) =>
        Database.WriteAsync(transaction => transaction.SetState(RecordKey, json.Span), ct);
}
