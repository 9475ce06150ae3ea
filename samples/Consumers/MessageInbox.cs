using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Documents;

namespace Consumers;

/// <summary>
/// Handles each message once, however often it comes: its id and its effect are one durable transaction of an embedded
/// database. Thread-safe.
/// </summary>
/// <remarks>What a broker delivers "at least once" takes effect exactly once, across crashes of consumer and sender.
/// Effects outside of the database (a mail, a payment) must be safe to repeat, or be done from the database
/// afterwards.</remarks>
public sealed class MessageInbox : IAsyncDisposable
{
    private const string Collection = "Inbox";

    private MessageInbox(DocumentDatabase database) => Database = database;

    /// <summary>The database that effects are written to.</summary>
    public DocumentDatabase Database { get; }

    /// <summary>Opens the inbox in a folder and creates it if there is none.</summary>
    public static MessageInbox Open(string folder) =>
        new(DocumentDatabase.Open(new DatabaseOptions { Name = "inbox", Path = folder }));

    /// <summary>
    /// Runs the effect unless a message of this source and id was handled before. When it completes, the message may be
    /// acknowledged.
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="effect">The effect, which runs in the same transaction. If it throws, everything is rolled back and
    /// the message counts as not handled.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether the effect ran; <see langword="false"/> for a repeat.</returns>
    public Task<bool> HandleAsync(
        ReceivedMessage message,
        Action<DocumentTransaction, ReceivedMessage> effect,
        CancellationToken cancellationToken = default
    )
    {
        var key = KeyOf(message);
        return Database.WriteAsync(
            transaction =>
            {
                if (transaction.TryGet(key, out _))
                    return false;
                effect(transaction, message);
                transaction.Put(
                    key,
                    JsonSerializer.SerializeToUtf8Bytes(
                        new Dictionary<string, object>
                        {
                            ["Source"] = message.Source,
                            ["Id"] = message.Id,
                            ["@metadata"] = new Dictionary<string, string> { ["@collection"] = Collection },
                        }
                    )
                );
                return true;
            },
            cancellationToken
        );
    }

    /// <summary>
    /// Forgets messages that were handled longer ago than any repeat can come: the broker's retention, and the time a
    /// task may be behind.
    /// </summary>
    /// <returns>How many were forgotten.</returns>
    public async Task<int> ForgetAsync(TimeSpan age, CancellationToken cancellationToken = default)
    {
        var before = Database.UtcNow - age;
        List<string> old;
        using (var snapshot = Database.OpenSnapshot())
        {
            // In the order of their positions, so of their times.
            old = [.. snapshot.GetByCollection(Collection).TakeWhile(d => d.LastModified < before).Select(d => d.Id)];
        }

        foreach (var part in old.Chunk(1_000))
            await Database.WriteAsync(t => Array.ForEach(part, id => t.Delete(id)), cancellationToken);
        return old.Count;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => Database.DisposeAsync();

    private static string KeyOf(ReceivedMessage message) =>
        "inbox/"
        + Convert.ToHexStringLower(
            SHA256.HashData(Encoding.UTF8.GetBytes(message.Source + "\n" + message.Id)).AsSpan(0, 20)
        );
}
